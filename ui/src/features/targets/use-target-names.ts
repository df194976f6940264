import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';

/** Calls targets by name; one that is gone, by its id. */
export function useTargetNames(): (id: string) => string {
  const { data: targets } = useQuery(targetsQuery);
  return (id) => targets?.find((target) => target.id === id)?.name ?? id;
}
