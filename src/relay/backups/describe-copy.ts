import type { Backup } from '../../contract/backup';
import { assertIntact, sizeOf } from '../database/sqlite/database-copy';
import { readWith } from '../database/sqlite/read-stopped-database';
import type { Connection } from '../database/sqlite/sqlite-driver';
import { checkLedger } from '../diagnostics/ledger/check-ledger';
import { Findings } from '../diagnostics/ledger/findings';

/**
 * Verifies a copy of the database: SQLite's integrity check, then the consistency check.
 * @param at ms since 1970
 * @throws CopyDamaged
 */
export async function describeCopy(connection: Connection, file: string, at: number): Promise<Backup> {
  assertIntact(connection);
  const read = readWith(connection);
  const findings = await Findings.create(read);
  const checked = await checkLedger(read, findings);
  const [newest] = await read<{ seq: number | null }>(['SELECT max(seq) AS seq FROM events', []]);
  return {
    file,
    at: new Date(at).toISOString(),
    bytes: sizeOf(connection),
    events: checked.events,
    newest_seq: newest?.seq ?? 0,
    findings: findings.report(checked, at).found,
  };
}

/** Stores in a copy, or in the database that was copied, which backup is its latest. */
export const storeLatestBackup = (latest: Backup): [sql: string, parameters: unknown[]] => [
  'UPDATE instance SET last_backup = ?',
  [JSON.stringify(latest)],
];
