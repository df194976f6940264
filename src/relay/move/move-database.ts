import type { PoolClient } from 'pg';
import type { Ledger } from '../../contract/ledger';
import { markMoved, assertNotMoved } from '../database/sqlite/moved-marker';
import { openPool, runTransaction, withConnection } from '../database/postgres/connect';
import { preparePostgres } from '../database/postgres/prepare-postgres';
import { nameAddress, orUnavailable } from '../database/postgres/unavailable';
import { readStoppedDatabase, readWith, type Read } from '../database/sqlite/read-stopped-database';
import type { Connection } from '../database/sqlite/sqlite-driver';
import { checkLedger } from '../diagnostics/ledger/check-ledger';
import { Findings } from '../diagnostics/ledger/findings';
import type { Clock } from '../ground/clock';
import { StartupError } from '../ground/relay-error';
import type { Settings } from '../settings/settings';
import { adaptRows, copyTable, countCopied, type OnCopied } from './copy-tables';
import { MoveProgress } from './move-progress';
import { listOf, readState, readTables, type SourceTable } from './source-tables';

export interface Moved {
  /** The address without user and password. */
  to: string;
  /** The rows of each table that has any. */
  rows: Record<string, number>;
  /** Of the database in PostgreSQL; that of the file found the same. */
  ledger: Ledger;
}

interface MoveParts {
  clock: Clock;
  onCopied: OnCopied;
  onStage: (stage: 'continuing' | 'verifying') => void;
}

/** A database with rows in any of these is in use. */
const OWN_DATA = ['events', 'targets', 'subscriptions', 'grants', 'api_tokens'];

/**
 * Copies the hub of a stopped daemon from SQLite to an empty database in PostgreSQL, with all ids, and continues a
 * move that was interrupted. The file is not changed; a daemon no longer starts on it.
 * @throws StartupError if the operator has to change something first
 */
export function moveDatabase(
  paths: Pick<Settings, 'dataDir' | 'databaseFile'>,
  url: string,
  { clock, onCopied, onStage }: MoveParts,
): Promise<Moved> {
  const to = nameAddress(url);
  return readStoppedDatabase(paths, async (_, connection) => {
    await preparePostgres(url);
    const moved = await orUnavailable(url, () =>
      onConnection(url, async (client) => {
        const tables = readTables(connection);
        const progress = new MoveProgress(client);
        const state = readState(connection);
        const earlier = await progress.readState();
        assertNotMoved(paths.databaseFile, earlier === state ? to : null);
        if (earlier === state) onStage('continuing');
        else await begin(client, progress, { tables, earlier, state });
        const rows = new Map<string, number>();
        for (const table of tables)
          rows.set(table.name, await copyTable(connection, client, progress, table, onCopied));
        onStage('verifying');
        await client.query('ANALYZE');
        const ledger = await verify(connection, client, { tables, rows, now: clock.now() });
        // Before the copy can be used: from now on a daemon starts on neither, and after the commit on the copy alone.
        markMoved(paths.databaseFile, { to, at: new Date(clock.now()).toISOString() });
        await runTransaction(client, async () => {
          await adaptRows(connection, client);
          await progress.end();
        });
        return { rows: Object.fromEntries([...rows].filter(([, count]) => count > 0)), ledger };
      }),
    );
    return { to, ...moved };
  });
}

async function onConnection<T>(url: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  // A check of all rows may take long.
  const pool = openPool(url, 1, { queryTimeoutMs: 0 });
  try {
    return await withConnection(pool, work);
  } finally {
    await pool.end();
  }
}

/** @throws StartupError if the database has another hub */
async function begin(
  client: PoolClient,
  progress: MoveProgress,
  { tables, earlier, state }: { tables: readonly SourceTable[]; earlier: string | null; state: string },
): Promise<void> {
  await progress.create();
  if (earlier === null) await assertUnused(client, progress);
  // A daemon has run on the file since, so that what was copied may be out of date.
  else await client.query(`TRUNCATE ${listOf(tables.map(({ name }) => name))}`);
  await progress.begin(state);
}

/** @throws StartupError if the database has another hub */
async function assertUnused(client: PoolClient, progress: MoveProgress): Promise<void> {
  const { rows } = await client.query<{ used: string }>(
    [
      ...OWN_DATA.map((table) => `SELECT '${table}' AS used WHERE EXISTS (SELECT 1 FROM ${table})`),
      `SELECT 'daemons' WHERE EXISTS (SELECT 1 FROM daemons WHERE alive_until > clock_timestamp())`,
    ].join(' UNION ALL '),
  );
  if (rows.length === 0) return;
  await progress.end();
  throw new StartupError([
    {
      where: '--to',
      what: `The database belongs to another hub: it has rows in ${rows.map(({ used }) => used).join(', ')}.`,
      remedy: 'Create an empty database, or an empty schema, for this hub.',
    },
  ]);
}

/** @throws StartupError unless both databases have the same rows, and the consistency check finds the same in both */
async function verify(
  connection: Connection,
  client: PoolClient,
  { tables, rows, now }: { tables: readonly SourceTable[]; rows: ReadonlyMap<string, number>; now: number },
): Promise<Ledger> {
  for (const table of tables) {
    const copied = await countCopied(client, table);
    if (copied !== rows.get(table.name))
      throw different(
        `${table.name} has ${rows.get(table.name)} rows in the file and ${copied} in PostgreSQL`,
      );
  }
  const file = await runCheck(readWith(connection), now);
  const copy = await runCheck(
    async ([sql, parameters]) => (await client.query(sql, parameters)).rows as never[],
    now,
  );
  if (JSON.stringify(file) !== JSON.stringify(copy))
    throw different(
      `the consistency check found ${file.found} problems in the file and ${copy.found} in PostgreSQL`,
    );
  return copy;
}

async function runCheck(read: Read, now: number): Promise<Ledger> {
  const findings = await Findings.create(read);
  return findings.report(await checkLedger(read, findings), now);
}

const different = (what: string) =>
  new StartupError({
    where: '--to',
    what: `The copy differs: ${what}. The file is unchanged, and the hub still runs on it.`,
    remedy:
      'Create an empty database and move again; if that does not help, report it as a bug in Switchboard.',
  });
