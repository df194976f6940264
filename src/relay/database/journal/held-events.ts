/** SQL: whether a delivery of event `e` is still open. */
export const IS_UNFINISHED =
  'EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq AND d.settled_at IS NULL)';

const STANDS = `d.event_seq = e.seq AND d.state = 'dead' AND NOT EXISTS (
  SELECT 1 FROM deliveries newer WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`;

/** SQL: how many dead letters of event `e` stand, which can be sent again: to targets that are there, and followed by no later delivery. */
export const DEAD_LETTERS = `(
  SELECT count(*) FROM deliveries d JOIN targets t ON t.number = d.target_id AND t.deleted_at IS NULL WHERE ${STANDS})`;
