import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { auditEntry } from '../../../src/contract/audit';
import { eventDetail, listedEvent } from '../../../src/contract/event';
import { ledger } from '../../../src/contract/ledger';
import { pageOf } from '../../../src/contract/page';
import { savedViews } from '../../../src/contract/saved-view';
import { target, targetCreated } from '../../../src/contract/target';
import { SharedLeaderLink } from '../../../src/relay/several-daemons/shared-leader-link';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { runCommand } from '../../support/daemon/run-command';
import { Switchboard } from '../../support/daemon/switchboard';
import { ListenerProcess } from '../../support/fakes/listener-process';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const MAIN = resolve(__dirname, '../../../dist/main.js');

/** The hub is on SQLite first, also where other tests run on PostgreSQL. */
const ON_FILE = { ...postgresEnvironment(''), DATABASE_URL: '' };

const startReceiver = useReceivers();
let postgres: TestPostgres;
let switchboard: Switchboard;
let receiver: RecordingTarget;

beforeAll(async () => {
  postgres = await TestPostgres.start();
  switchboard = await Switchboard.start({ environment: ON_FILE });
  receiver = await startReceiver();
});

afterAll(async () => {
  await switchboard?.end();
  await postgres?.stop();
});

const move = (url: string) => runCommand(switchboard.dataDir, ['move', '--to', url, '--json']);
const databaseFile = () => join(switchboard.dataDir, 'switchboard.db');

/** Kills a move once it waits for a table. @returns a function that releases the table */
async function killWhenItWaitsFor(url: string, table: string, mode?: string): Promise<() => Promise<void>> {
  const release = await postgres.holdTable(url, table, mode);
  const interrupted = spawn(process.execPath, [MAIN, 'move', '--to', url], {
    env: { PATH: process.env['PATH'], DATA_DIR: switchboard.dataDir },
    stdio: 'ignore',
  });
  await until(`it waits for ${table}`, async () => {
    const rows = await runSql(
      url,
      `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`,
    ).catch(() => []);
    return rows.length > 0;
  });
  const ended = once(interrupted, 'exit');
  interrupted.kill('SIGKILL');
  await ended;
  return release;
}

/** Everything that the API shows of events, targets and operations. */
async function readHub() {
  const { data: events } = await switchboard.read(pageOf(listedEvent), '/events?limit=200');
  const { data: targets } = await switchboard.read(pageOf(target), '/targets');
  const { data: audit } = await switchboard.read(pageOf(auditEntry), '/audit?limit=200');
  const details = await Promise.all(events.map(({ id }) => switchboard.read(eventDetail, `/events/${id}`)));
  const views = await switchboard.read(savedViews, '/saved-views');
  return { details, targets: targets.map((each) => ({ ...each, health: undefined })), audit, views };
}

/** As the daemon does, some time after the target was removed. */
function removeRowOf(targetId: string): void {
  const connection = new sqliteDriver(databaseFile());
  connection.prepare('DELETE FROM targets WHERE id = ?').run(targetId);
  connection.close();
}

/** The last number that each table with numbered rows has given, also to a row that is gone. */
function lastNumbersOfFile(): unknown[] {
  const connection = new sqliteDriver(databaseFile(), { readonly: true });
  const last = connection
    .prepare(`SELECT name, seq FROM sqlite_sequence WHERE seq > 0 AND name <> 'migrations' ORDER BY name`)
    .all();
  connection.close();
  return last;
}

const lastNumbersOf = (url: string) =>
  runSql(
    url,
    `SELECT regexp_replace(sequencename, '_(number|id)_seq$', '') AS name, last_value::int AS seq FROM pg_sequences
     WHERE last_value IS NOT NULL AND sequencename NOT LIKE 'migrations%' ORDER BY name`,
  );

describe('switchboard move', () => {
  it('copies a stopped hub with all its ids and what is queued, says why it cannot, continues after a kill, and verifies', async () => {
    const { id } = await switchboard.addTarget('erp', receiver.url, ['deal.*'], {
      headers: [{ name: 'x-team', value: 'sales' }],
    });
    const listener = { kind: 'listener', name: 'laptop', events: ['deal.closed'] };
    const laptop = await switchboard.read(targetCreated, '/targets', { method: 'POST', json: listener });
    const { id: removedId } = await switchboard.addTarget('removed', receiver.url, ['nothing.*']);
    await switchboard.removeTarget({ id: removedId });
    const delivered = await switchboard.emit('deal.created', { name: 'delivered', text: 'before \0 after' });
    await switchboard.deliveryOnce(delivered, id, ({ state }) => state === 'succeeded');
    const shaped = await switchboard.addTarget('shaped', receiver.url, ['shaped'], {
      transform: {
        expression: '{"id": $event.id}',
        tests: [{ name: 'one', input: 1, expected: { id: 'evt_' } }],
      },
      force: true,
    });
    const made = await switchboard.emit('shaped');
    const sent = await switchboard.deliveryOnce(made, shaped.id, ({ state }) => state === 'succeeded');
    const changed = { transform: { expression: '1', tests: [] } };
    await switchboard.ask(`/targets/${shaped.id}`, { method: 'PATCH', json: changed });
    receiver.respondWith(500);
    const retrying = await switchboard.emit('deal.updated', { name: 'retrying' });
    await switchboard.deliveryOnce(retrying, id, ({ state }) => state === 'retrying');
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST', json: { reason: 'Maintenance' } });
    const view = { name: 'Failed', address: '/events?status=dead', pinned: true };
    await switchboard.ask('/saved-views', { method: 'POST', json: view });
    // It is stored as an event a little later.
    await until('the event of the pause', async () => {
      const { data } = await switchboard.read(pageOf(listedEvent), '/events?type=relay.target.paused');
      return data.length === 1;
    });
    const repeated = switchboard.sign('deal.created');
    await switchboard.notify(repeated);
    await switchboard.notify(repeated);

    const url = await postgres.createDatabase();
    expect(await move(url)).toMatchObject({ code: 78, err: expect.stringMatching(/daemon|running|lock/i) });
    // After half a minute without a daemon there would be an event about that.
    switchboard.clock.stop();
    await switchboard.stop();

    expect(await move('sqlite:other.db')).toMatchObject({
      code: 78,
      err: expect.stringContaining('--to: It is not the address of a database in PostgreSQL.'),
    });
    const unreachable = await move('postgres://user:p4ssw0rd@127.0.0.1:1/hub');
    expect(unreachable).toMatchObject({ code: 69, err: expect.stringContaining('ECONNREFUSED') });
    expect(unreachable.err).not.toContain('p4ssw0rd');
    const used = await postgres.createMigrated();
    await runSql(used, `INSERT INTO grants VALUES (1, '', '', '', '', '', NULL, 0, 0, 0, NULL, 0, NULL)`);
    expect(await move(used)).toMatchObject({
      code: 78,
      err: expect.stringContaining('belongs to another hub: it has rows in grants'),
    });

    expect(await runCommand(switchboard.dataDir, ['migrate'], { DATABASE_URL: url })).toMatchObject({
      code: 0,
    });
    // The first chunk of events waits for the lock, with the tables before it copied.
    const release = await killWhenItWaitsFor(url, 'events');
    // Its timers would keep the process alive.
    const closing = jest.spyOn(SharedLeaderLink.prototype, 'close');
    await expect(switchboard.restart(postgresEnvironment(url))).rejects.toThrow(/move to it was interrupted/);
    expect(closing).toHaveBeenCalledTimes(1);
    closing.mockRestore();
    await release();

    const changes = {
      'DELETE FROM attempts': /attempts has \d rows in the file and 0 in PostgreSQL/,
      'UPDATE deliveries SET attempts = attempts + 7':
        /check found 0 problems in the file and \d+ in PostgreSQL/,
    };
    for (const [sql, difference] of Object.entries(changes)) {
      const copy = await postgres.copyDatabase(url);
      await runSql(copy, sql);
      const { code, err } = await move(copy);
      expect({ code, err }).toMatchObject({ code: 78, err: expect.stringMatching(difference) });
      expect(err).toMatch(/^Continuing an interrupted move/);
    }

    // What was copied is out of date now.
    await switchboard.restart(ON_FILE);
    const queued = await switchboard.emit('deal.closed', {
      name: 'queued',
      updated_at: '2026-03-01T00:00:00Z',
    });
    const before = await readHub();
    await switchboard.stop();
    removeRowOf(removedId);

    // What keeps daemons from starting on the file cannot be written: the copy is not used either.
    const blocked = `${databaseFile()}.moved.new`;
    mkdirSync(blocked);
    expect(await move(url)).toMatchObject({
      code: 78,
      err: expect.stringMatching(/Not moved.*switchboard\.db\.moved cannot be written \(EISDIR\)/s),
    });
    rmdirSync(blocked);
    await expect(switchboard.restart(postgresEnvironment(url))).rejects.toThrow(/move to it was interrupted/);

    // The last transaction empties this table: a daemon starts on neither, and not elsewhere.
    const releaseLast = await killWhenItWaitsFor(url, 'recent_identities', 'ACCESS SHARE');
    await expect(switchboard.restart(ON_FILE)).rejects.toThrow(/was moved to 127\.0\.0\.1/);
    await expect(switchboard.restart(postgresEnvironment(url))).rejects.toThrow(/move to it was interrupted/);
    expect(await move(await postgres.copyDatabase(used))).toMatchObject({
      code: 78,
      err: expect.stringContaining('was moved to'),
    });
    await releaseLast();

    const { code, out, err } = await move(url);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Continuing') });
    expect(await move(url)).toMatchObject({ code: 78, err: expect.stringContaining('was moved to') });
    const report = JSON.parse(out) as { rows: Record<string, number>; ledger: object };
    expect(report.rows).toMatchObject({ events: before.details.length, deliveries: 6 });
    expect(ledger.parse(report.ledger)).toMatchObject({ balanced: true });
    expect(await lastNumbersOf(url)).toEqual(lastNumbersOfFile());
    expect(await runSql(url, 'SELECT name, version FROM events WHERE version IS NOT NULL')).toEqual([
      { name: 'queued', version: String(Date.UTC(2026, 2, 1)) },
    ]);
    await expect(switchboard.restart(ON_FILE)).rejects.toThrow(/was moved to 127\.0\.0\.1/);
    expect(existsSync(databaseFile())).toBe(true);

    await switchboard.restart(postgresEnvironment(url));
    const after = await readHub();
    switchboard.clock.resume();
    const known = new Set(before.audit.map((entry) => entry.id));
    expect({ ...after, audit: after.audit.filter((entry) => known.has(entry.id)) }).toEqual(before);
    const { text } = await switchboard.ask(`/deliveries/${sent.id}/body`);
    expect(text).toBe(receiver.of(made)[0]!.body.toString());
    const again = await switchboard.notify(repeated);
    expect(again.json).toMatchObject({ status: 'duplicate' });
    receiver.respondWith(200);
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    switchboard.clock.move(60_000);
    for (const event of [retrying, queued])
      await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    const { origin, adminToken } = switchboard;
    const process = await ListenerProcess.start(origin, adminToken, { target: laptop.id });
    await switchboard.deliveryOnce(queued, laptop.id, ({ state }) => state === 'succeeded');
    process.close();
    const newest = await switchboard.event(await switchboard.emit('deal.created'));
    expect(newest.seq).toBeGreaterThan(Math.max(...before.details.map(({ seq }) => seq)));
    await switchboard.addTarget('new', receiver.url, ['other.*']);
    expect(await switchboard.read(ledger, '/ledger', { method: 'POST' })).toMatchObject({ balanced: true });
    // Some twenty commands, each a process of its own.
  });
});
