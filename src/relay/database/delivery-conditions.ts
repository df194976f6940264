/** SQL: whether delivery `d` is the latest of its event to its target. */
export const IS_LATEST = `NOT EXISTS (
  SELECT 1 FROM deliveries newer WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`;

/** SQL: whether event `e` has an unfinished delivery. */
export const HAS_UNFINISHED =
  'EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq AND d.finished_at IS NULL)';

/** SQL: the count of dead letters of event `e` that can be retried, because their target exists. */
export const DEAD_LETTER_COUNT = `(
  SELECT count(*) FROM deliveries d JOIN targets t ON t.number = d.target_id AND t.deleted_at IS NULL
  WHERE d.event_seq = e.seq AND d.state = 'dead' AND ${IS_LATEST})`;
