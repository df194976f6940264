import { outage, type Outage } from '../../../src/contract/outage';
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
    hub = await Switchboard.start({ after: hub, environment });
  };
  const outages = async (): Promise<Outage[]> => (await hub.read(pageOf(outage), '/outages')).data;
  const emit = (id: number) => hub.emit('deal.updated', { id });
  const headerOf = async (event: string, target = asking) => {
    await until('it is sent', () => target.of(event).length > 0);
    return target.of(event).map(({ headers }) => headers['switchboard-gap']);
  };

  beforeAll(async () => {
    environment = await environmentOf();
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
});
