import type { ServerResponse } from 'node:http';
import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { delivery, deliveryDetail, type Delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target, type TargetCreated } from '../../../src/contract/target';
import { assertBalanced } from '../../support/daemon/ledger';
import { useFastIntervals } from '../../support/fast-intervals';
import type { Behaviour } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

let switchboard: Switchboard;
const startReceiver = useReceivers();

useFastIntervals(300);
beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterEach(() => assertBalanced({ url: switchboard.origin, token: switchboard.adminToken }));

afterAll(() => switchboard.end());

const shown = (id: string) => switchboard.read(target, `/targets/${id}`);
const request = (id: string, name: 'pause' | 'resume') =>
  switchboard.ask(`/targets/${id}/${name}`, { method: 'POST' });
const deliveriesOf = async (id: string): Promise<Delivery[]> =>
  (await switchboard.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`)).data;
const statesOf = async (id: string) => (await deliveriesOf(id)).map(({ state }) => state).toSorted();
const waitUntilEnded = (id: string) =>
  until('nothing is queued', async () => (await shown(id)).backlog.open === 0);
const isDead = ({ state }: Delivery) => state === 'dead';

const alert = async (id: string, type: string): Promise<AlertSummary | undefined> => {
  const { data } = await switchboard.read(pageOf(alertSummary), '/alerts?limit=200');
  return data.find((one) => one.subject === id && one.type === type);
};
const waitForAlert = async (id: string, type: string): Promise<AlertSummary> => {
  await until(`the alert ${type}`, async () => (await alert(id, type)) !== undefined);
  return (await alert(id, type))!;
};
const waitUntilResolved = (id: string, type: string) =>
  until(`${type} is resolved`, async () => (await alert(id, type)) === undefined);

let targetCount = 0;
const add = (url: string, policy: object = {}): Promise<TargetCreated & { type: string }> => {
  const type = `lifetime.${(targetCount += 1)}`;
  return switchboard.addTarget(type, url, [type], { policy }).then((added) => ({ ...added, type }));
};

describe('a delivery', () => {
  it('expires five days after it was created unless the policy says otherwise', async () => {
    expect((await add('http://127.0.0.1:9/')).policy.max_age_s).toBe(5 * 86_400);
  });

  it('expires behind an open circuit breaker, after alerts, and can be retried', async () => {
    const receiver = await startReceiver(503);
    const { id, type } = await add(receiver.url, {
      max_age_s: (10 * HOUR) / SECOND,
      concurrency: 1,
      breaker: { failures: 2, first_probe_s: 60, cap_s: 3_600 },
    });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await switchboard.emit(type));
    await until('the circuit breaker is open', async () => (await shown(id)).breaker !== null);
    expect(await alert(id, 'relay.target.down')).toBeUndefined();

    switchboard.clock.move(2 * HOUR);
    expect(await waitForAlert(id, 'relay.target.down')).toMatchObject({
      severity: 'warning',
      sentence: expect.stringContaining('HTTP 503.'),
    });
    expect(await alert(id, 'relay.target.expiring')).toBeUndefined();

    switchboard.clock.move(4 * HOUR);
    const oldest = (await shown(id)).backlog.oldest_at!;
    expect(await waitForAlert(id, 'relay.target.expiring')).toMatchObject({
      severity: 'critical',
      data: { open: 4, expires_at: new Date(Date.parse(oldest) + 10 * HOUR).toISOString() },
    });
    expect(new Set(await statesOf(id))).not.toContain('dead');

    switchboard.clock.move(5 * HOUR);
    await waitUntilEnded(id);
    const dead = await deliveriesOf(id);
    expect(dead.filter(isDead)).toHaveLength(4);
    for (const one of dead)
      expect(one).toMatchObject({
        last_error: 'expired',
        last_status: null,
        note: expect.stringMatching(
          /^Not delivered within 10 hours\. (No attempt was made\.|Last attempt: HTTP 503\.)$/,
        ),
      });
    await waitUntilResolved(id, 'relay.target.expiring');

    receiver.respondWith(204);
    const again = await switchboard.read(deliveryDetail, `/deliveries/${dead[0]!.id}/retry`, {
      method: 'POST',
    });
    switchboard.clock.move(2 * HOUR);
    await until('it is delivered', async () => (await switchboard.delivery(again.id)).state === 'succeeded');
    await waitUntilResolved(id, 'relay.target.down');
    await switchboard.removeTarget({ id });
  });

  it('also expires while its target is paused, after an alert', async () => {
    const receiver = await startReceiver();
    const { id, type } = await add(receiver.url, { max_age_s: 3_600 });
    await request(id, 'pause');
    await switchboard.emit(type);
    switchboard.clock.move(HOUR / 2);
    expect((await waitForAlert(id, 'relay.target.expiring')).sentence).toContain('Paused manually.');
    const young = await switchboard.emit(type);
    switchboard.clock.move(HOUR / 2);
    await until('the older one is dead', async () => (await statesOf(id)).includes('dead'));
    await request(id, 'resume');
    await switchboard.deliveryOnce(young, id, ({ state }) => state === 'succeeded');
    expect(receiver.hits).toHaveLength(1);
    expect(await statesOf(id)).toEqual(['dead', 'succeeded']);
    await switchboard.removeTarget({ id });
  });

  it('expires in a lane too, even behind a dead letter that stops the lane', async () => {
    const rejected = new Set<string>();
    const behaviour: Behaviour = (response, { headers }) =>
      void response.writeHead(rejected.has(String(headers['webhook-id'])) ? 422 : 204).end();
    const receiver = await startReceiver(behaviour);
    const { id, type } = await add(receiver.url, {
      max_age_s: 3_600,
      ordering: 'strict',
      on_dead: 'stop',
      retry: { delays_s: [] },
    });
    await request(id, 'pause');
    const first = await switchboard.emit(type);
    rejected.add(first);
    const behind = [await switchboard.emit(type), await switchboard.emit(type)];
    await request(id, 'resume');
    const stopper = await switchboard.deliveryOnce(first, id, isDead);
    expect(stopper).toMatchObject({ blocks_lane: true, last_status: 422 });
    switchboard.clock.move(HOUR);
    for (const event of behind)
      expect(await switchboard.deliveryOnce(event, id, isDead)).toMatchObject({
        blocks_lane: false,
        last_error: 'expired',
      });
    const discard = { method: 'POST', json: { reason: 'not wanted' } };
    await switchboard.read(deliveryDetail, `/deliveries/${stopper.id}/discard`, discard);
    const next = await switchboard.emit(type);
    await switchboard.deliveryOnce(next, id, ({ state }) => state === 'succeeded');
    await switchboard.removeTarget({ id });
  });

  it('does not expire while it is in flight: the response decides', async () => {
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((response) => void held.push(response));
    const { id, type } = await add(receiver.url, { max_age_s: 60, concurrency: 1, timeout_ms: 60_000 });
    const [sent, waiting] = [await switchboard.emit(type), await switchboard.emit(type)];
    await until('one is in flight', () => held.length === 1);
    switchboard.clock.move(2 * 60 * SECOND);
    await switchboard.deliveryOnce(waiting, id, isDead);
    held[0]!.writeHead(204).end();
    await switchboard.deliveryOnce(sent, id, ({ state }) => state === 'succeeded');
    await switchboard.removeTarget({ id });
  });

  it('expires by elapsed time, not by a clock that was set ahead', async () => {
    const receiver = await startReceiver();
    const short = await add(receiver.url, { max_age_s: 60 });
    const long = await add(receiver.url, { max_age_s: 3_600 });
    for (const { id } of [short, long]) await request(id, 'pause');
    const [shortLived, longLived] = [await switchboard.emit(short.type), await switchboard.emit(long.type)];
    switchboard.clock.jump(40 * DAY);
    switchboard.clock.move(60 * SECOND);
    await switchboard.deliveryOnce(shortLived, short.id, isDead);
    expect(await statesOf(long.id)).toEqual(['pending']);
    await request(long.id, 'resume');
    await switchboard.deliveryOnce(longLived, long.id, ({ state }) => state === 'succeeded');
    switchboard.clock.jump(-40 * DAY);
    for (const one of [short, long]) await switchboard.removeTarget(one);
  });

  it('that became too old while no daemon ran is attempted before it expires', async () => {
    const receiver = await startReceiver();
    const { id, type } = await add(receiver.url, { max_age_s: 3_600 });
    await request(id, 'pause');
    const event = await switchboard.emit(type);
    await switchboard.stop();
    switchboard.clock.move(9 * DAY);
    await switchboard.restart();
    await request(id, 'resume');
    await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    await switchboard.removeTarget({ id });
  });
});
