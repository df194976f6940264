import { migrateDatabase } from './open-database';
import type { Log } from '../ground/log';

/** An index over most of what is stored takes about so long for each byte of the database, on a disk that is not fast. */
const BYTES_PER_SECOND = 100 * 1024 * 1024;

/** From its first attempt to its last Co-Pilot gives a notification so long (document, 6.3). */
const COPILOT_WAITS_S = 30;

/** Brings the database up to date before anything listens, and says how long that may take. */
export async function upgradeDatabase(file: string, log: Log): Promise<void> {
  let begunAt: number | null = null;
  await migrateDatabase(file, ({ missing, bytes }) => {
    begunAt = performance.now();
    const seconds = Math.ceil(bytes / BYTES_PER_SECOND);
    const facts = { changes: missing, database_bytes: bytes, expected_seconds: seconds };
    if (seconds < COPILOT_WAITS_S) log.info(facts, 'the database is brought up to date');
    else log.warn(facts, 'the database is brought up to date: what Co-Pilot sends meanwhile may be lost');
  });
  if (begunAt !== null)
    log.info({ took_ms: Math.round(performance.now() - begunAt) }, 'the database is up to date');
}
