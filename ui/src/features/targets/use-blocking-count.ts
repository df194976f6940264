import { useQuery } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { deadLetterCausesQuery } from '../../api/dead-letters';

/** How many dead letters block the lanes of a target. */
export function useBlockingCount({ id, health }: Target): number {
  const isBlocked = health.states.includes('blocked');
  const { data: causes } = useQuery({ ...deadLetterCausesQuery({ target: id }), enabled: isBlocked });
  return isBlocked ? (causes?.reduce((sum, { stop_lanes: lanes }) => sum + lanes, 0) ?? 0) : 0;
}
