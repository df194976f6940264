/** Counts scheduled deliveries, and those that wait behind the head of their lane, from indexes alone. */
const BY_TARGET = `
  SELECT target, sum(queued) AS queued FROM (
    SELECT target_id AS target, count(*) AS queued FROM deliveries WHERE due_at IS NOT NULL GROUP BY target_id
    UNION ALL
    SELECT target_id, count(*) - 1 FROM deliveries WHERE lane IS NOT NULL AND finished_at IS NULL
    GROUP BY target_id, lane) counts
  GROUP BY target`;

/** One row at least, whose target is null if nothing is queued. @param columns more of them, for each row */
export const countQueuedSql = (columns: readonly string[] = []) =>
  `SELECT queued.target, queued.queued, ${['newest.seq', ...columns].join(', ')}
   FROM (SELECT coalesce(max(seq), 0) AS seq FROM events) newest LEFT JOIN (${BY_TARGET}) queued ON true`;

export interface QueuedCountRow {
  target: number | null;
  queued: number;
  /** Of the newest event. */
  seq: number;
}

export interface QueuedCounts {
  targets: { target: number; queued: number }[];
  /** The newest event whose deliveries were counted; one that another daemon has stored may yet be published. */
  newest: number;
}

export const queuedCounts = (rows: readonly QueuedCountRow[]): QueuedCounts => ({
  targets: rows.flatMap(({ target, queued }) => (target === null ? [] : [{ target, queued }])),
  newest: rows[0]?.seq ?? 0,
});
