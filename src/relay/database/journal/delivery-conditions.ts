/** SQL: whether delivery `d` is the latest of its event to its target. */
export const IS_LATEST = `NOT EXISTS (
  SELECT 1 FROM deliveries newer WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`;

/** SQL: whether dead delivery `d` is still a dead letter: it blocks its lane, or no later delivery replaces it. */
export const IS_DEAD_LETTER = `(d.finished_at IS NULL OR ${IS_LATEST})`;

/** SQL: a delivery that no lane waits for any longer: dead in its lane, but a later one of the same event succeeded. */
export const IS_DELIVERED_SINCE = `deliveries.state = 'dead' AND deliveries.finished_at IS NULL AND EXISTS (
  SELECT 1 FROM deliveries later WHERE later.event_seq = deliveries.event_seq AND later.target_id = deliveries.target_id
    AND later.n > deliveries.n AND later.state = 'succeeded')`;

/** SQL: whether event `e` has an unfinished delivery. */
export const HAS_UNFINISHED =
  'EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq AND d.finished_at IS NULL)';

/** SQL: the count of dead letters of event `e` that can be retried, because their target exists. */
export const DEAD_LETTER_COUNT = `(
  SELECT count(*) FROM deliveries d JOIN targets t ON t.number = d.target_id AND t.deleted_at IS NULL
  WHERE d.event_seq = e.seq AND d.state = 'dead' AND ${IS_DEAD_LETTER})`;
