import type { AgeLimit } from '../../ground/clock-corrections';

/** SQL: whether a stored time is before a limit. `kept`: stored while the clock was behind, so that they look too old. */
export const olderThan = (
  column: string,
  { before, kept }: AgeLimit,
): { sql: string; parameters: number[] } => ({
  sql: [`${column} < ?`, ...kept.map(() => `NOT ${column} BETWEEN ? AND ?`)].join(' AND '),
  parameters: [before, ...kept.flat()],
});
