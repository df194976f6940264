import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';

/** Looks up target names; a deleted target is shown by its id. */
export function useTargetNames(): (id: string) => string {
  const { data: targets } = useQuery(targetsQuery);
  return (id) => targets?.find((target) => target.id === id)?.name ?? id;
}
