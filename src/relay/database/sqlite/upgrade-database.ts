import { RETRIED_FOR_MS } from '../../../protocol/limits';
import { migrateDatabase } from './open-database';
import type { Log } from '../../ground/log';

/** About the rate of building an index over most rows on a slow disk. */
const BYTES_PER_SECOND = 100 * 1024 * 1024;

/** Migrates the database before anything listens, and logs how long that may take. */
export async function upgradeDatabase(file: string, log: Log): Promise<void> {
  let startedAt: number | null = null;
  await migrateDatabase(file, ({ missing, bytes }) => {
    startedAt = performance.now();
    const seconds = Math.ceil(bytes / BYTES_PER_SECOND);
    const facts = { migrations: missing, database_bytes: bytes, expected_seconds: seconds };
    if (seconds * 1_000 < RETRIED_FOR_MS) log.info(facts, 'upgrading the database');
    else log.warn(facts, 'upgrading the database: notifications that Co-Pilot sends meanwhile may be lost');
  });
  if (startedAt !== null)
    log.info({ took_ms: Math.round(performance.now() - startedAt) }, 'the database was upgraded');
}
