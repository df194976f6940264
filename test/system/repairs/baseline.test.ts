import { entityList } from '../../../src/contract/entity';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { TestPostgres } from '../../support/postgres';
import { changesOf, listedDeal, readBaseline, runBaseline } from '../../support/runs/baseline-run';
import { until } from '../../support/until';

const DEALS = Number(process.env['DEALS'] ?? 510);

let postgres: TestPostgres | undefined;
beforeAll(async () => (postgres = await TestPostgres.start()));
afterAll(() => postgres?.stop());

describe.each([
  ['SQLite', () => Promise.resolve<Record<string, string>>({})],
  ['PostgreSQL', async () => postgresEnvironment(await postgres!.createMigrated())],
])('a baseline, on %s,', (_, environmentOf) => {
  let environment: Record<string, string>;
  let hub: Switchboard;
  let everything: RecordingTarget;
  let won: RecordingTarget;

  const isComplete = async () =>
    (await hub.read(entityList, '/entities?kind=deal&limit=1')).coverage.complete;

  beforeAll(async () => {
    environment = await environmentOf();
    hub = await Switchboard.start({ environment });
    [everything, won] = await Promise.all([RecordingTarget.start(), RecordingTarget.start()]);
    await hub.addTarget('everything', everything.url, ['*']);
    await hub.addTarget('won', won.url, ['*'], {
      filter: { 'data.status_id': { $became: 142 } },
      policy: { unknown_previous: 'skip' },
    });
  });
  afterAll(async () => {
    await hub?.end();
    await Promise.all([everything?.close(), won?.close()]);
  });

  it('makes no event and sends nothing, and then every deal is known, also to filters on changes', async () => {
    await runBaseline(hub, DEALS, everything);
    const first = await hub.emit('deal.updated', { ...listedDeal(DEALS, 142), updated_at: '2026-03-02' });
    expect(await changesOf(hub, first)).toMatchObject({
      previous: 'known',
      previous_event_id: null,
      late: false,
      changes: expect.arrayContaining([{ path: 'data.status_id', before: 1, after: 142 }]),
    });
    await until('it became won', () => won.of(first).length === 1);
    expect(won.hits).toHaveLength(1);
  });

  it('is told of until an outage, and again after another one', async () => {
    await hub.stop();
    hub.clock.move(5_000);
    await hub.restart(environment);
    expect(await isComplete()).toBe(true);
    await hub.stop();
    hub.clock.move(60_000);
    await hub.restart(environment);
    expect(await isComplete()).toBe(false);
    await readBaseline(hub);
    expect(await isComplete()).toBe(true);
  });

  it('tells nothing of deals while the webhook is paused, and after it', async () => {
    expect((await hub.ask('/subscription/pause', { method: 'POST' })).status).toBe(200);
    await until('no notifications are expected', async () => !(await isComplete()));
    expect((await hub.ask('/subscription/resume', { method: 'POST' })).status).toBe(200);
    expect(await isComplete()).toBe(false);
  });
});
