import type { ServerResponse } from 'node:http';
import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { delivery, deliveryDetail, type Delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target, type TargetCreated } from '../../../src/contract/target';
import { assertBalanced } from '../../support/daemon/ledger';
import { outsideGlobal } from '../../support/outside';
import type { Behaviour } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

let board: Switchboard;
const receiver = useReceivers();

/** What the daemon looks at every few seconds it looks at several times a second. */
const schedule = outsideGlobal.setInterval;
beforeAll(async () => {
  jest
    .spyOn(outsideGlobal, 'setInterval')
    .mockImplementation((work: () => void, ms = 0) => schedule(work, Math.min(ms, 300)));
  board = await Switchboard.start();
});

afterEach(() => assertBalanced({ url: board.origin, token: board.adminToken }));

afterAll(async () => {
  await board.end();
  jest.restoreAllMocks();
});

const shown = (id: string) => board.read(target, `/targets/${id}`);
const act = (id: string, name: 'pause' | 'resume') => board.ask(`/targets/${id}/${name}`, { method: 'POST' });
const deliveriesOf = async (id: string): Promise<Delivery[]> =>
  (await board.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`)).data;
const statesOf = async (id: string) => (await deliveriesOf(id)).map(({ state }) => state).toSorted();
const ended = (id: string) => until('nothing is open', async () => (await shown(id)).backlog.open === 0);
const isDead = ({ state }: Delivery) => state === 'dead';

const alert = async (id: string, type: string): Promise<AlertSummary | undefined> => {
  const { data } = await board.read(pageOf(alertSummary), '/alerts?limit=200');
  return data.find((one) => one.subject === id && one.type === type);
};
const alerted = async (id: string, type: string): Promise<AlertSummary> => {
  await until(`the alert ${type}`, async () => (await alert(id, type)) !== undefined);
  return (await alert(id, type))!;
};
const resolved = (id: string, type: string) =>
  until(`the end of ${type}`, async () => (await alert(id, type)) === undefined);

let made = 0;
const add = (url: string, policy: object = {}): Promise<TargetCreated & { type: string }> => {
  const type = `lived.${(made += 1)}`;
  return board.addTarget(type, url, [type], { policy }).then((added) => ({ ...added, type }));
};

describe('a delivery', () => {
  it('is given up five days after it was made unless its target says otherwise', async () => {
    expect((await add('http://127.0.0.1:9/')).policy.max_age_s).toBe(5 * 86_400);
  });

  it('expires behind an open breaker, after alerts that say so, and can be sent again', async () => {
    const place = await receiver(503);
    const { id, type } = await add(place.url, {
      max_age_s: (10 * HOUR) / SECOND,
      concurrency: 1,
      breaker: { failures: 2, first_probe_s: 60, cap_s: 3_600 },
    });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await board.emit(type));
    await until('the breaker is open', async () => (await shown(id)).breaker !== null);
    expect(await alert(id, 'relay.target.down')).toBeUndefined();

    board.clock.move(2 * HOUR);
    expect(await alerted(id, 'relay.target.down')).toMatchObject({
      severity: 'warning',
      sentence: expect.stringContaining('The target answered 503.'),
    });
    expect(await alert(id, 'relay.target.expiring')).toBeUndefined();

    board.clock.move(4 * HOUR);
    const oldest = (await shown(id)).backlog.oldest_at!;
    expect(await alerted(id, 'relay.target.expiring')).toMatchObject({
      severity: 'critical',
      data: { open: 4, expires_at: new Date(Date.parse(oldest) + 10 * HOUR).toISOString() },
    });
    expect(new Set(await statesOf(id))).not.toContain('dead');

    board.clock.move(5 * HOUR);
    await ended(id);
    const dead = await deliveriesOf(id);
    expect(dead.filter(isDead)).toHaveLength(4);
    for (const one of dead)
      expect(one).toMatchObject({
        last_error: 'expired',
        last_status: null,
        note: expect.stringMatching(
          /^Not delivered within 10 hours\. (It was never tried|The last try: The target answered 503)\.$/,
        ),
      });
    await resolved(id, 'relay.target.expiring');

    place.answer(204);
    const again = await board.read(deliveryDetail, `/deliveries/${dead[0]!.id}/retry`, { method: 'POST' });
    board.clock.move(2 * HOUR);
    await until('it arrives', async () => (await board.delivery(again.id)).state === 'succeeded');
    await resolved(id, 'relay.target.down');
    await board.removeTarget({ id });
  });

  it('expires at a paused target too, which is told before', async () => {
    const place = await receiver();
    const { id, type } = await add(place.url, { max_age_s: 3_600 });
    await act(id, 'pause');
    await board.emit(type);
    board.clock.move(HOUR / 2);
    expect((await alerted(id, 'relay.target.expiring')).sentence).toContain('Paused by the operator.');
    const young = await board.emit(type);
    board.clock.move(HOUR / 2);
    await until('the older one is dead', async () => (await statesOf(id)).includes('dead'));
    await act(id, 'resume');
    await board.deliveryOnce(young, id, ({ state }) => state === 'succeeded');
    expect(place.hits).toHaveLength(1);
    expect(await statesOf(id)).toEqual(['dead', 'succeeded']);
    await board.removeTarget({ id });
  });

  it('that waits in a lane expires with those before it, and behind one that stopped the lane', async () => {
    const refused = new Set<string>();
    const behaviour: Behaviour = (response, { headers }) =>
      void response.writeHead(refused.has(String(headers['webhook-id'])) ? 422 : 204).end();
    const place = await receiver(behaviour);
    const { id, type } = await add(place.url, {
      max_age_s: 3_600,
      ordering: 'strict',
      on_dead: 'stop',
      retry: { delays_s: [] },
    });
    await act(id, 'pause');
    const first = await board.emit(type);
    refused.add(first);
    const behind = [await board.emit(type), await board.emit(type)];
    await act(id, 'resume');
    const stopper = await board.deliveryOnce(first, id, isDead);
    expect(stopper).toMatchObject({ stops_lane: true, last_status: 422 });
    board.clock.move(HOUR);
    for (const event of behind)
      expect(await board.deliveryOnce(event, id, isDead)).toMatchObject({
        stops_lane: false,
        last_error: 'expired',
      });
    const discard = { method: 'POST', json: { reason: 'not wanted' } };
    await board.read(deliveryDetail, `/deliveries/${stopper.id}/discard`, discard);
    const next = await board.emit(type);
    await board.deliveryOnce(next, id, ({ state }) => state === 'succeeded');
    await board.removeTarget({ id });
  });

  it('has the answer that is still out decide', async () => {
    const held: ServerResponse[] = [];
    const place = await receiver((response) => void held.push(response));
    const { id, type } = await add(place.url, { max_age_s: 60, concurrency: 1, timeout_ms: 60_000 });
    const [sent, waiting] = [await board.emit(type), await board.emit(type)];
    await until('one is on its way', () => held.length === 1);
    board.clock.move(2 * 60 * SECOND);
    await board.deliveryOnce(waiting, id, isDead);
    held[0]!.writeHead(204).end();
    await board.deliveryOnce(sent, id, ({ state }) => state === 'succeeded');
    await board.removeTarget({ id });
  });

  it('expires by time that has passed: not by a clock that was set ahead', async () => {
    const place = await receiver();
    const short = await add(place.url, { max_age_s: 60 });
    const long = await add(place.url, { max_age_s: 3_600 });
    for (const { id } of [short, long]) await act(id, 'pause');
    const [dies, lives] = [await board.emit(short.type), await board.emit(long.type)];
    board.clock.jump(40 * DAY);
    board.clock.move(60 * SECOND);
    await board.deliveryOnce(dies, short.id, isDead);
    expect(await statesOf(long.id)).toEqual(['pending']);
    await act(long.id, 'resume');
    await board.deliveryOnce(lives, long.id, ({ state }) => state === 'succeeded');
    board.clock.jump(-40 * DAY);
    for (const one of [short, long]) await board.removeTarget(one);
  });

  it('that grew old while no daemon ran is tried first', async () => {
    const place = await receiver();
    const { id, type } = await add(place.url, { max_age_s: 3_600 });
    await act(id, 'pause');
    const event = await board.emit(type);
    await board.stop();
    board.clock.move(9 * DAY);
    board = await Switchboard.start({ after: board });
    await act(id, 'resume');
    await board.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    await board.removeTarget({ id });
  });
});
