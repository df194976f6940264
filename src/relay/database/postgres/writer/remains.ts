import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { ERASED_BY_COMPARISON, ERASURE_RULES } from '../../erasure-rules';

const CHECK_EVERY_MS = 1_000;

const TABLES = [...Object.keys(ERASURE_RULES), ...ERASED_BY_COMPARISON, 'erasures', 'commits'];

/** Removes what changed and removed rows have left in the tables, once the daemons have read what they told each other. */
export async function removeRemains(pool: Pool, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const earlier = 'SELECT 1 FROM commits WHERE at <= $1 LIMIT 1';
  while ((await pool.query(earlier, [rows[0]!.at])).rows.length > 0 && !signal.aborted)
    await wait(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  // What the planner knows of a column are values of it, up to whole bodies.
  for (const table of TABLES) if (!signal.aborted) await pool.query(`VACUUM (ANALYZE) ${table}`);
}
