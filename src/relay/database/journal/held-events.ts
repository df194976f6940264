/** SQL: whether event `e` has an unfinished delivery. */
export const IS_UNFINISHED =
  'EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq AND d.settled_at IS NULL)';

const IS_DEAD_LETTER = `d.event_seq = e.seq AND d.state = 'dead' AND NOT EXISTS (
  SELECT 1 FROM deliveries newer WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`;

/** SQL: the count of dead letters of event `e` that can be retried: their target exists, and no later delivery follows. */
export const DEAD_LETTERS = `(
  SELECT count(*) FROM deliveries d JOIN targets t ON t.number = d.target_id AND t.deleted_at IS NULL WHERE ${IS_DEAD_LETTER})`;
