import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { deadLetterCauses } from '../../../src/contract/dead-letter';
import { eventSummary } from '../../../src/contract/event';
import { ledger } from '../../../src/contract/ledger';
import { replayDetail } from '../../../src/contract/replay';
import { Daemon } from '../../support/daemon/daemon';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { runCommand } from '../../support/daemon/run-command';
import { useFastIntervals } from '../../support/fast-intervals';
import { Switchboard } from '../../support/daemon/switchboard';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const DAY = 86_400_000;

useFastIntervals(200);

describe('a daemon on PostgreSQL', () => {
  let postgres: TestPostgres;
  let url: string;
  let switchboard: Switchboard;
  let receiver: RecordingTarget;

  const environment = () => ({
    ...postgresEnvironment(url),
    SWITCHBOARD_TARGETS: 'configured=http://127.0.0.1:9/',
  });
  const targets = async () => (await switchboard.read(pageOf(target), '/targets')).data;
  const count = async (table: string) =>
    Number((await runSql<{ count: string }>(url, `SELECT count(*) AS count FROM ${table}`))[0]!.count);
  const delivered = (ids: readonly string[]) =>
    until('everything is delivered', () => ids.every((id) => receiver.of(id).length > 0));

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    url = await postgres.createDatabase();
    receiver = await RecordingTarget.start();
    switchboard = await Switchboard.start({ environment: environment() });
    const json = { name: 'renamed', enabled: false };
    await switchboard.ask(`/targets/${(await targets())[0]!.id}`, { method: 'PATCH', json });
  });
  afterAll(async () => {
    await switchboard.end();
    await receiver.close();
    await postgres.stop();
  });

  it('stores, delivers, lists, searches and replays events, and its books balance', async () => {
    await switchboard.addTarget('shop', receiver.url, ['*'], { policy: { ordering: 'entity' } });
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1)
      ids.push(await switchboard.emit('deal.created', { id: n % 3, title: `Würfel ${n}` }));
    await delivered(ids);
    const list = await switchboard.read(pageOf(eventSummary), '/events?type=deal.*&q=RFEL%2017&limit=10');
    expect(list.data.map(({ id }) => id)).toEqual([ids[17]]);
    const filtered = await switchboard.read(
      pageOf(eventSummary),
      `/events?payload=${encodeURIComponent('{"data.title":"Würfel 5"}')}`,
    );
    expect(filtered.data.map(({ id }) => id)).toEqual([ids[5]]);
    const started = await switchboard.read(replayDetail, '/replays', {
      method: 'POST',
      json: { filter: { types: ['deal.created'], q: 'Würfel 1' } },
    });
    await until('the replay ends', async () => {
      const { state } = await switchboard.read(replayDetail, `/replays/${started.id}`);
      return state === 'done';
    });
    expect(receiver.hits).toHaveLength(20 + 11);
    expect(await switchboard.read(ledger, '/ledger', { method: 'POST' })).toMatchObject({
      balanced: true,
      checked: { deliveries: 31 },
    });
  });

  it('continues after a restart with what is queued', async () => {
    receiver.respondWith(500);
    const id = await switchboard.emit('deal.updated', { id: 1 });
    await until('an attempt fails', () => receiver.of(id).length === 1);
    await switchboard.stop();
    receiver.respondWith(200);
    await switchboard.restart(environment());
    switchboard.clock.move(DAY / 24);
    await until('it is delivered', () => receiver.of(id).length === 2);
    expect((await targets()).map(({ name }) => name)).toEqual(['renamed', 'shop']);
  });

  it('groups dead letters by their cause', async () => {
    const rejecting = await RecordingTarget.start(404);
    const { id } = await switchboard.addTarget('rejects', rejecting.url, ['deal.lost'], {
      policy: { retry: { delays_s: [] } },
    });
    for (const deal of [1, 2]) await switchboard.emit('deal.lost', { id: deal });
    const causes = () => switchboard.read(deadLetterCauses, `/dead-letters/causes?target=${id}`);
    await until('both are dead letters', async () => (await causes()).data[0]?.deliveries === 2);
    expect((await causes()).data).toEqual([
      expect.objectContaining({ target_name: 'rejects', error: '404', deliveries: 2 }),
    ]);
    await switchboard.removeTarget({ id });
    await rejecting.close();
  });

  it('makes no backup and restores none, and says what does', async () => {
    const file = join(switchboard.dataDir, 'copy.db');
    const backup = await runCommand(switchboard.dataDir, ['backup', file], environment());
    expect(backup).toMatchObject({ code: 1, out: '', err: expect.stringContaining('pg_dump') });
    const restore = await runCommand(join(switchboard.dataDir, 'new'), ['restore', file], environment());
    expect(restore).toMatchObject({ code: 78, out: '', err: expect.stringContaining('pg_restore') });
    expect(existsSync(file)).toBe(false);
  });

  it('makes no text index, and says what a search for text costs instead', async () => {
    const { out } = await runCommand(switchboard.dataDir, ['doctor'], environment());
    expect(out).toMatch(/^ok +database .*no text index: a search for text reads every event/m);
    expect(existsSync(join(switchboard.dataDir, 'switchboard-search.db'))).toBe(false);
  });

  it('removes events with everything that belongs to them after their retention', async () => {
    switchboard.clock.move(31 * DAY);
    await until('only the newest events are left', async () => (await count('events')) < 20);
    expect(await switchboard.read(ledger, '/ledger', { method: 'POST' })).toMatchObject({ balanced: true });
  });
});

describe('a database in PostgreSQL', () => {
  let postgres: TestPostgres;
  let upstream: FakeCopilot;
  const daemons: Daemon[] = [];
  let environment: Record<string, string>;

  const start = async () => {
    const daemon = await Daemon.start({ upstream, environment });
    daemons.push(daemon);
    return daemon;
  };

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    upstream = await FakeCopilot.start();
    environment = postgresEnvironment(await postgres.createMigrated());
  });
  afterAll(async () => {
    for (const daemon of daemons) await daemon.close();
    await upstream.close();
    await postgres.stop();
  });

  it('is not used by a daemon with another secret key', async () => {
    await start();
    const otherKey = { ...environment, SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
    const starting = Daemon.start({ upstream, environment: otherKey });
    await expect(starting).rejects.toThrow(/The key is not the one that this database was encrypted with/);
  });

  it('is not used by a daemon for which it would lose what was acknowledged', async () => {
    const url = new URL(environment['DATABASE_URL']!);
    url.searchParams.set('options', '-c synchronous_commit=off');
    const starting = Daemon.start({ upstream, environment: { ...environment, DATABASE_URL: url.href } });
    await expect(starting).rejects.toThrow(/ended with 78[^]*synchronous_commit is off[^]*ALTER ROLE/);
  });
});
