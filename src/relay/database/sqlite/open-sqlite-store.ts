import { TimeBounds, type TimeRecord } from '../../ground/time-bounds';
import { assertNotMoved } from './moved-marker';
import { parseClockRow, SELECT_CLOCK, type ClockRow } from '../journal/clock-record';
import { openReading } from './sqlite-driver';
import { SqliteJournal } from './sqlite-journal';
import { openReadingSource, migrateDatabase } from './open-database';
import { SqliteReader } from './sqlite-reader';
import type { Store, StoreTools } from '../store';
import { RETRIED_FOR_MS } from '../../../protocol/limits';
import type { Log } from '../../ground/log';

/** @param file may not exist yet @throws StartupError if this version cannot use the database, or its hub was moved */
export async function openSqliteStore(
  file: string,
  { clock, log, entities, closers }: StoreTools,
): Promise<Store> {
  assertNotMoved(file);
  await upgradeDatabase(file, log);
  const bounds = new TimeBounds(clock, readClockRecord(file));
  const journal = await SqliteJournal.open(file, clock, bounds, log);
  closers.push(() => journal.close());
  const reader = new SqliteReader(file);
  closers.push(() => reader.close());
  const source = await openReadingSource(file, entities);
  closers.push(() => source.destroy());
  return { journal, reader, source, bounds };
}

/** @param file an up-to-date database @returns null before the first record was stored */
export function readClockRecord(file: string): TimeRecord | null {
  const connection = openReading(file);
  try {
    return parseClockRow(connection.prepare<[], ClockRow>(SELECT_CLOCK).get());
  } finally {
    connection.close();
  }
}

/** About the rate of building an index over most rows on a slow disk. */
const BYTES_PER_SECOND = 100 * 1024 * 1024;

/** Migrates the database before anything listens, and logs how long that may take. */
async function upgradeDatabase(file: string, log: Log): Promise<void> {
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
