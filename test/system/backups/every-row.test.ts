import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { fillDatabase } from '../../support/databases/fill-database';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { runInProcess } from '../../support/daemon/run-in-process';
import { freePort } from '../../support/free-port';
import { runSql, TestPostgres } from '../../support/postgres';

const { DATABASE_URL: _, ...KEYS } = postgresEnvironment('');

/** What is indexed later, and what only a hub with these problems or settings has. */
const MAY_BE_EMPTY = [
  'configured_targets',
  'event_entities',
  'event_types',
  'identities',
  'subscription_drift',
];

/** By table: each row as text, sorted. */
type Rows = Record<string, string[]>;

/** Numbers are the same as their digits: of PostgreSQL, 64 bits are read as a text. */
const write = (row: object) =>
  JSON.stringify(
    Object.values(row).map((value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('base64') : typeof value === 'number' ? `${value}` : value,
    ),
  );

const sorted = (rows: object[]) => rows.map(write).toSorted();

function rowsOfFile(file: string): { rows: Rows; columns: Record<string, string[]> } {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const names = connection
      .prepare<[], string>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#' AND name <> 'migrations'`,
      )
      .pluck()
      .all();
    const tables = names.map((name) => {
      const statement = connection.prepare<[], object>(`SELECT * FROM "${name}"`);
      return { name, columns: statement.columns().map((column) => column.name), rows: statement.all() };
    });
    return {
      rows: Object.fromEntries(tables.map(({ name, rows }) => [name, sorted(rows)])),
      columns: Object.fromEntries(tables.map(({ name, columns }) => [name, columns])),
    };
  } finally {
    connection.close();
  }
}

const without = (rows: Rows, ...names: string[]) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !names.includes(name)));

describe('a hub with rows of every kind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-rows-'));
  const file = join(folder, 'hub.db');
  let before: ReturnType<typeof rowsOfFile>;
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    const PORT = String(await freePort());
    await fillDatabase({ ...KEYS, PORT, PUBLIC_URL: 'https://hub.example', DATABASE_URL: `sqlite:${file}` });
    const connection = new sqliteDriver(file);
    connection.exec('UPDATE instance SET floor_through = 1, floor_since = 5');
    connection.close();
    before = rowsOfFile(file);
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  it('has rows in every table', () => {
    const empty = Object.entries(without(before.rows, ...MAY_BE_EMPTY)).filter(
      ([, rows]) => rows.length === 0,
    );
    expect(empty.map(([name]) => name)).toEqual([]);
  });

  it('has them all after a restore', async () => {
    const dataDir = join(folder, 'restored');
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(file, join(folder, 'backup.db'));
    const environment = { ...KEYS, DATA_DIR: dataDir };
    const { code, err } = await runInProcess(['restore', join(folder, 'backup.db')], environment);
    expect({ code, err }).toMatchObject({ code: 0 });
    const after = rowsOfFile(join(dataDir, 'switchboard.db')).rows;
    const changed = ['instance', 'sessions', 'login_links', 'oauth_states'];
    expect(without(after, ...changed)).toEqual(without(before.rows, ...changed));
    const connection = new sqliteDriver(join(dataDir, 'switchboard.db'), { readonly: true });
    const instance = connection.prepare('SELECT floor_through, floor_since FROM instance').get();
    connection.close();
    expect(instance).toEqual({ floor_through: 1, floor_since: 5 });
  });

  it('has them all after a move', async () => {
    const url = await postgres.createDatabase();
    const environment = { ...KEYS, DATA_DIR: folder, DATABASE_URL: `sqlite:${file}` };
    const { code, err } = await runInProcess(['move', '--to', url], environment);
    expect({ code, err }).toMatchObject({ code: 0 });
    const after: Rows = {};
    for (const [name, columns] of Object.entries(before.columns)) {
      const names = columns.map((column) => `"${column}"`).join(', ');
      after[name] = sorted(await runSql<object>(url, `SELECT ${names} FROM "${name}"`));
    }
    // There the identities of recent events are with the others.
    const elsewhere = ['identities', 'recent_identities'];
    expect(without(after, ...elsewhere)).toEqual(without(before.rows, ...elsewhere));
  });
});
