import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';

/** The ids of the targets that are gone: nothing is retried there until they are enabled. */
export function useGoneTargets(): ReadonlySet<string> {
  const { data: targets = [] } = useQuery(targetsQuery);
  return new Set(targets.flatMap(({ id, disabled }) => (disabled === null ? [] : [id])));
}

/** Why the dead letters of a target that is gone cannot be retried. */
export const whyNoRetry = (name: string): string => `${name} is gone: enable it first.`;
