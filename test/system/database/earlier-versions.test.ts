import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '../../../src/contract/page';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { assertBalanced } from '../../support/daemon/ledger';
import { runCommand } from '../../support/daemon/run-command';
import { Switchboard } from '../../support/daemon/switchboard';
import { nextVersion } from '../../support/databases/next-version';
import { restoreSqlite } from '../../support/databases/dump-sqlite';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const FOLDER = join(__dirname, '../../fixtures/databases');
const FIXTURES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => {
    const [, version, engine] = /^(.+)\.(sqlite|postgres)\.sql$/.exec(name)!;
    return { name, version, engine };
  });

/** What the migration of a later version may remove or add to: their rows hold nothing that a user has. */
const VOLATILE = ['migrations', 'identities', 'recent_identities', 'clock', 'commits'];

/** No process takes what is queued for a listener, which has no URL. */
const QUEUED = `SELECT count(*) AS count FROM deliveries WHERE finished_at IS NULL AND state <> 'dead'
  AND target_id NOT IN (SELECT number FROM targets WHERE url = '')`;

type Query = <Row>(sql: string) => Promise<Row[]>;

describe.each(FIXTURES)('a database of version $version on $engine', ({ name, engine }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-earlier-'));
  const file = join(folder, 'switchboard.db');
  const preload = join(folder, 'preload.cjs');
  let postgres: TestPostgres;
  let upstream: FakeCopilot;
  let receiver: RecordingTarget;
  let environment: Record<string, string>;
  let query: Query;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    receiver = await RecordingTarget.start();
    writeFileSync(preload, nextVersion(`process.kill(process.pid, 'SIGKILL');`));
    const sql = readFileSync(join(FOLDER, name), 'utf8')
      .replaceAll('{copilot}', upstream.baseUrl)
      .replaceAll('{receiver}', new URL(receiver.url).origin);
    const { DATABASE_URL: _, ...keys } = postgresEnvironment('');
    if (engine === 'sqlite') {
      restoreSqlite(file, sql);
      environment = { ...keys, DATABASE_URL: `sqlite:${file}` };
      query = async <Row>(text: string) => {
        const connection = new sqliteDriver(file, { readonly: true });
        const rows = connection.prepare<[], Row>(text).all();
        connection.close();
        return rows;
      };
    } else {
      postgres = await TestPostgres.start();
      const url = await postgres.createDatabase();
      await runSql(url, sql);
      environment = { ...keys, DATABASE_URL: url };
      query = async <Row>(text: string) => {
        const pool = openPool(url, 1);
        const { rows } = await pool.query(text);
        await pool.end();
        return rows as Row[];
      };
    }
  });

  afterAll(async () => {
    await postgres?.stop();
    await receiver.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });

  const migrations = () => query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  const countRows = async () => {
    const tables = [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/CREATE TABLE (?:public\.)?(\w+)/g)];
    const counts: Record<string, number> = {};
    for (const [, table] of tables)
      if (!VOLATILE.includes(table!))
        counts[table!] = (await query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]!.count;
    return counts;
  };

  it('is as before if the process is killed while it migrates, and is then upgraded with every row', async () => {
    const before = await migrations();
    const rows = await countRows();
    expect(rows['events']).toBeGreaterThan(5);
    const killed = await runCommand(folder, ['migrate'], {
      ...environment,
      NODE_OPTIONS: `--require ${preload}`,
    });
    expect(killed).toMatchObject({ out: '', err: '' });
    expect(await migrations()).toEqual(before);
    await expect(query('SELECT colour FROM targets')).rejects.toMatchObject({
      message: expect.stringContaining('colour'),
    });
    const { out } = await runCommand(folder, ['migrate', '--json'], environment);
    const { applied } = JSON.parse(out) as { applied: string[] };
    expect(await countRows()).toEqual(rows);
    expect((await migrations()).map((one) => one.name)).toEqual([
      ...before.map((one) => one.name),
      ...applied,
    ]);
  });

  it('is consistent, and what was queued is delivered', async () => {
    const [{ count: queued } = { count: 0 }] = await query<{ count: number }>(QUEUED);
    expect(queued).toBeGreaterThan(10);
    const hub = await Switchboard.start({ upstream, environment: { ...environment, DATA_DIR: folder } });
    try {
      await assertBalanced({ url: hub.origin, token: hub.adminToken });
      await hub.ask('/targets/resume', { method: 'POST', json: { all: true } });
      const { data: dead } = (await hub.ask('/dead-letters')).json as Page<{ id: string }>;
      for (const { id } of dead) await hub.ask(`/deliveries/${id}/retry`, { method: 'POST' });
      await until('all are delivered', async () => {
        hub.clock.move(60_000);
        return (await query<{ count: number }>(QUEUED))[0]!.count === 0;
      });
      expect(receiver.hits.length).toBeGreaterThan(queued);
      await assertBalanced({ url: hub.origin, token: hub.adminToken });
    } finally {
      await hub.stop();
      rmSync(hub.dataDir, { recursive: true });
    }
  });
});
