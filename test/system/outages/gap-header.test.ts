import { listedOutage, type Outage } from '../../../src/contract/outage';
import { pageOf } from '../../../src/contract/page';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const MINUTE_MS = 60_000;
const POLICY = { ordering: 'entity', retry: { delays_s: [1, 3_600] } };

let postgres: TestPostgres | undefined;
beforeAll(async () => (postgres = await TestPostgres.start()));
afterAll(() => postgres?.stop());

describe.each([
  ['SQLite', () => Promise.resolve<Record<string, string>>({})],
  ['PostgreSQL', async () => postgresEnvironment(await postgres!.createMigrated())],
])('the header switchboard-gap, on %s,', (_, environmentOf) => {
  let environment: Record<string, string>;
  let hub: Switchboard;
  let asking: RecordingTarget;
  let other: RecordingTarget;
  let targetId: string;

  const restartAfter = async (ms: number) => {
    await hub.stop();
    hub.clock.move(ms);
    await hub.restart(environment);
  };
  const outages = async (): Promise<Outage[]> => (await hub.read(pageOf(listedOutage), '/outages')).data;
  const emit = (id: number) => hub.emit('deal.updated', { id });
  const refuse = async () =>
    expect((await hub.notify(hub.sign('deal.updated', { padding: 'x'.repeat(3_000) }))).status).toBe(413);
  const refusals = async () => (await outages()).filter(({ kind }) => kind === 'not_stored');
  const headerOf = async (event: string, target = asking) => {
    await until('it is sent', () => target.of(event).length > 0);
    return target.of(event).map(({ headers }) => headers['switchboard-gap']);
  };

  beforeAll(async () => {
    environment = { ...(await environmentOf()), SWITCHBOARD_BODY_LIMIT_BYTES: '2000' };
    hub = await Switchboard.start({ environment });
    asking = await RecordingTarget.start();
    other = await RecordingTarget.start();
    ({ id: targetId } = await hub.addTarget('asking', asking.url, ['*', 'relay.gap'], { policy: POLICY }));
    await hub.addTarget('other', other.url, ['*'], { policy: POLICY });
  });
  afterAll(async () => {
    await hub?.end();
    await asking?.close();
    await other?.close();
  });

  it('is not sent after a restart in five seconds, which no event reports', async () => {
    await emit(1);
    await emit(2);
    await restartAfter(5_000);
    expect(await headerOf(await emit(1))).toEqual([undefined]);
    expect(await outages()).toEqual([]);
    expect(asking.hits.filter(({ headers }) => headers['switchboard-event-type'] === 'relay.gap')).toEqual(
      [],
    );
  });

  it('is sent with the first event of each entity after an outage, on every attempt', async () => {
    await restartAfter(MINUTE_MS);
    const [{ id, gap_event_id: gap }] = (await outages()) as [Outage];
    asking.respondWith((response, { headers }) => {
      const fails = headers['switchboard-gap'] !== undefined && headers['switchboard-attempt'] === '1';
      response.writeHead(fails ? 500 : 200).end();
    });
    const [first, second, ofOther, ofNew] = [await emit(1), await emit(1), await emit(2), await emit(3)];
    // The head of a lane is sent again before anything that follows it.
    await until(
      'the lanes are empty',
      () => asking.of(second).length === 1 && asking.of(ofOther).length === 2,
    );
    expect(await headerOf(first)).toEqual([id, id]);
    expect(await headerOf(second)).toEqual([undefined]);
    expect(await headerOf(ofOther)).toEqual([id, id]);
    expect(await headerOf(ofNew)).toEqual([undefined]);
    expect(await headerOf(first, other)).toEqual([undefined]);
    expect(await headerOf(gap!)).toEqual([undefined]);
    expect(other.of(gap!)).toEqual([]);

    const order = asking.hits.map(({ headers }) => headers['webhook-id']);
    expect(order.lastIndexOf(first)).toBeLessThan(order.indexOf(second));
    asking.respondWith(200);
  });

  it('is sent at the same place by a replay, and after a pause', async () => {
    expect((await hub.ask(`/targets/${targetId}/pause`, { method: 'POST', json: {} })).status).toBe(200);
    const before = await emit(1);
    await restartAfter(MINUTE_MS);
    const after = await emit(1);
    expect((await hub.ask(`/targets/${targetId}/resume`, { method: 'POST' })).status).toBe(200);
    const [newest] = await outages();
    expect(await headerOf(before)).toEqual([undefined]);
    expect(await headerOf(after)).toEqual([newest!.id]);
    await hub.ask(`/events/${after}/replay`, { method: 'POST', json: {} });
    await until('it is sent again', () => asking.of(after).length === 2);
    expect(await headerOf(after)).toEqual([newest!.id, newest!.id]);
  });

  it('is sent after the webhook was missing at Co-Pilot, whose gap event precedes what arrives then', async () => {
    await emit(2);
    hub.upstream.webhooks.clear();
    expect((await hub.ask('/subscription/repair', { method: 'POST' })).status).toBe(200);
    const [newest] = await outages();
    expect(newest).toMatchObject({ kind: 'unregistered', gap_event_id: expect.stringMatching(/^evt_/) });
    expect(await headerOf(await emit(2))).toEqual([newest!.id]);
    await until('it has ended', async () => (await outages())[0]!.ended_at !== null);
    expect(await headerOf(await emit(2))).toEqual([undefined]);
  });

  it('is sent after notifications were refused, once in a quarter of an hour, also if the daemon ends', async () => {
    await emit(2);
    await refuse();
    await until('it is recorded', async () => (await refusals()).length === 1);
    expect(await headerOf(await emit(2))).toEqual([(await refusals())[0]!.id]);
    await refuse();
    expect(await headerOf(await emit(2))).toEqual([undefined]);
    expect(await refusals()).toHaveLength(1);
    await restartAfter(1_000);
    expect(await refusals()).toHaveLength(2);
    expect(await headerOf(await emit(2))).toEqual([(await refusals())[0]!.id]);
  });
});
