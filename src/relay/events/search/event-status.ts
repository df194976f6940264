import type { EventStatus } from '../../../contract/event';
import { IS_DEAD_LETTER, IS_LATEST } from '../../database/journal/delivery-conditions';

/**
 * The status of an event is the most severe one among the newest deliveries to each target, and the dead letters that
 * block a lane: a successful replay supersedes the dead letter before it.
 */
const STATUS_BY_RANK: readonly EventStatus[] = [
  'unmatched',
  'cancelled',
  'succeeded',
  'pending',
  'retrying',
  'dead',
];

/** SQL for the rank of event `e`; 0 if it has no delivery. */
export const STATUS_RANK = `coalesce((
  SELECT max(CASE d.state WHEN 'dead' THEN 5 WHEN 'retrying' THEN 4 WHEN 'succeeded' THEN 2 WHEN 'cancelled' THEN 1 ELSE 3 END)
  FROM deliveries d WHERE d.event_seq = e.seq AND (${IS_LATEST} OR d.state = 'dead' AND ${IS_DEAD_LETTER})), 0)`;

export const statusOfRank = (rank: number): EventStatus => STATUS_BY_RANK[rank] ?? 'pending';

export const rankOfStatus = (status: EventStatus): number => STATUS_BY_RANK.indexOf(status);
