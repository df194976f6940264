import { useQuery } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { deadLetterCausesQuery } from '../../api/dead-letters';

/** How many dead letters block the lanes of a target. */
export function useBlockingCount({ id, policy, backlog }: Target): number {
  const mayBlock = policy.ordering !== 'none' && policy.on_dead === 'stop' && backlog.open > 0;
  const { data: causes } = useQuery({ ...deadLetterCausesQuery({ target: id }), enabled: mayBlock });
  return mayBlock ? (causes?.reduce((sum, { stop_lanes: lanes }) => sum + lanes, 0) ?? 0) : 0;
}
