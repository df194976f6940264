import type { EventStatus } from '../../../contract/event';

/**
 * An event's status is derived from the newest delivery to each target: a replay that succeeded answers for the dead
 * delivery before it. The gravest of them speaks for the event.
 */
const STATUS_BY_RANK: readonly EventStatus[] = [
  'unmatched',
  'cancelled',
  'succeeded',
  'pending',
  'retrying',
  'dead',
];

/** SQL for the rank of event `e`; 0 where it has no delivery. */
export const STATUS_RANK = `coalesce((
  SELECT max(CASE d.state WHEN 'dead' THEN 5 WHEN 'retrying' THEN 4 WHEN 'succeeded' THEN 2 WHEN 'cancelled' THEN 1 ELSE 3 END)
  FROM deliveries d WHERE d.event_seq = e.seq AND NOT EXISTS (
    SELECT 1 FROM deliveries newer
    WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)), 0)`;

export const statusOfRank = (rank: number): EventStatus => STATUS_BY_RANK[rank] ?? 'pending';

export const rankOfStatus = (status: EventStatus): number => STATUS_BY_RANK.indexOf(status);
