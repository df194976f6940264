import { delivery, deliveryDetail, type DeliveryDetail } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import type { Behaviour } from '../../support/fakes/recording-target';
import { assertSigned } from '../../support/assert-signed';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
let switchboard: Switchboard;
const startReceiver = useReceivers();
/** Two targets whose responses never end; sent to first, since their attempts take up to ten seconds. */
let stuckEvent: string;
let hanging: { id: string };
let dripping: { id: string };

beforeAll(async () => {
  switchboard = await Switchboard.start();
  hanging = await switchboard.addTarget('hanging', (await startReceiver(() => undefined)).url, ['stuck.*']);
  dripping = await switchboard.addTarget('dripping', (await startReceiver(drip)).url, ['stuck.*']);
  stuckEvent = await switchboard.emit('stuck.event');
});

afterAll(async () => {
  await switchboard.end();
});

/** Sends a byte every half second: no pause is long, but the response never ends. */
function drip(response: Parameters<Extract<Behaviour, Function>>[0]): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 500);
  response.on('close', () => clearInterval(timer));
}

const attempted =
  (count: number) =>
  ({ attempt_count, state }: DeliveryDetail) =>
    attempt_count === count && state !== 'in_flight';

const succeeded = async (targetId: string) =>
  (await switchboard.read(pageOf(delivery), `/deliveries?target=${targetId}&status=succeeded&limit=200`)).data
    .length;

describe('a failed attempt', () => {
  it('has an error name and an excerpt of the response, and is retried', async () => {
    const plain = await startReceiver();
    const big = '\u00e9'.repeat(2_000);
    const cases: [name: string, at: Behaviour | string, expected: object][] = [
      [
        'an error',
        (r) => void r.writeHead(500).end('broken\u0000'),
        { status: 500, error: 'http_status', excerpt: 'broken\ufffd' },
      ],
      ['a client error', 404, { status: 404, error: 'http_status', excerpt: null }],
      ['not modified', 304, { status: 304, error: 'http_status' }],
      [
        'a long error',
        (r) => void r.writeHead(503).end(big),
        { status: 503, error: 'http_status', excerpt: expect.stringMatching(/^\u00e9{512}$/) },
      ],
      ['no http', (r) => void r.socket!.end('nonsense\r\n\r\n'), { status: null, error: 'response_invalid' }],
      ['no tls', `https://127.0.0.1:${plain.port}/`, { status: null, error: 'tls_not_spoken' }],
    ];
    const targets: { name: string; id: string; expected: object }[] = [];
    for (const [name, at, expected] of cases) {
      const url = typeof at === 'string' ? at : (await startReceiver(at)).url;
      targets.push({
        name,
        expected,
        ...(await switchboard.addTarget(name, url, ['failing.*']).then(({ id }) => ({ id }))),
      });
    }
    const id = await switchboard.emit('failing.event');
    for (const { name, id: targetId, expected } of targets) {
      const found = await switchboard.deliveryOnce(id, targetId, ({ attempts }) => attempts.length > 0);
      const [attempt] = found.attempts;
      expect({ name, ...attempt }).toMatchObject({ name, number: 1, ...expected });
      expect(found).toMatchObject({
        state: 'retrying',
        last_error: attempt!.error,
        last_status: attempt!.status,
      });
      const waitMs = Date.parse(found.due_at!) - Date.parse(attempt!.at) - attempt!.duration_ms;
      expect(waitMs).toBeGreaterThanOrEqual(4 * SECOND);
      // The second delay is 30 s.
      expect(waitMs).toBeLessThan(20 * SECOND);
    }
    expect(plain.hits).toEqual([]);
    expect(await switchboard.event(id)).toMatchObject({ status: 'retrying' });
    await Promise.all(targets.map((one) => switchboard.removeTarget(one)));
    const { deliveries } = await switchboard.event(id);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['cancelled']));
  });

  it('is followed by others with the same id and trace, a new number and a valid signature', async () => {
    const receiver = await startReceiver(500);
    const { id: targetId, secret } = await switchboard.addTarget('retried', receiver.url, ['retried.*']);
    const id = await switchboard.emit('retried.event');
    for (const [count, waitMs] of [
      [1, 7 * SECOND],
      [2, 37 * SECOND],
    ] as const) {
      await switchboard.deliveryOnce(id, targetId, attempted(count));
      switchboard.clock.move(waitMs);
      if (count === 2) receiver.respondWith(204);
    }
    const { attempts, due_at } = await switchboard.deliveryOnce(
      id,
      targetId,
      ({ state }) => state === 'succeeded',
    );
    expect(attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 204],
    ]);
    expect(due_at).toBeNull();
    const hits = receiver.of(id);
    expect(hits.map(({ headers }) => headers['switchboard-attempt'])).toEqual(['1', '2', '3']);
    const [traces, spans] = [1, 2].map((part) =>
      hits.map(({ headers }) => String(headers['traceparent']).split('-')[part]),
    );
    expect(new Set(traces).size).toBe(1);
    expect(new Set(spans).size).toBe(3);
    expect(new Set(hits.map(({ headers }) => headers['switchboard-delivery'])).size).toBe(1);
    expect(new Set(hits.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    for (const hit of hits) assertSigned(secret, hit);
    const other = await switchboard.emit('retried.event');
    await until('the other arrives', () => receiver.of(other).length === 1);
    expect(String(receiver.of(other)[0]!.headers['traceparent']).split('-')[1]).not.toBe(traces![0]);
  });
});

describe('a delivery', () => {
  it('is dead after its last attempt, and can be retried', async () => {
    const receiver = await startReceiver(404);
    const policy = { retry: { delays_s: [5] } };
    const { id: targetId } = await switchboard.addTarget('schedule', receiver.url, ['schedule.*'], {
      policy,
    });
    const id = await switchboard.emit('schedule.event');
    const { due_at } = await switchboard.deliveryOnce(id, targetId, attempted(1));
    switchboard.clock.move(Date.parse(due_at!) - switchboard.clock.now());
    const dead = await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({
      attempt_count: 2,
      due_at: null,
      last_status: 404,
      note: 'HTTP 404 after 2 attempts.',
    });
    expect(dead.finished_at).not.toBeNull();
    expect(await switchboard.event(id)).toMatchObject({ status: 'dead' });
    switchboard.clock.move(100 * HOUR);

    receiver.respondWith(200);
    const again = await switchboard.read(deliveryDetail, `/deliveries/${dead.id}/retry`, { method: 'POST' });
    expect(again).toMatchObject({ trigger: 'manual', attempt_count: 0 });
    expect(again.id).not.toBe(dead.id);
    await until(
      'the new delivery succeeds',
      async () => (await switchboard.delivery(again.id)).state === 'succeeded',
    );
    expect(receiver.of(id)).toHaveLength(3);
    expect(receiver.of(id).at(-1)!.headers).toMatchObject({
      'switchboard-trigger': 'manual',
      'switchboard-attempt': '1',
      'switchboard-delivery': again.id,
      'webhook-id': id,
    });
    expect(await switchboard.delivery(dead.id)).toEqual(dead);
    expect(await switchboard.event(id)).toMatchObject({ status: 'succeeded' });
  });

  it('is queued while its target is paused', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('paused', receiver.url, ['paused.*']);
    const paused = await switchboard.read(target, `/targets/${targetId}/pause`, { method: 'POST' });
    expect(paused.paused!.reason).toBe('Paused manually.');
    const id = await switchboard.emit('paused.event');
    expect(await switchboard.deliveryOnce(id, targetId, () => true)).toMatchObject({
      state: 'pending',
      attempts: [],
    });
    // A delivery to another target shows that the dispatcher has run meanwhile.
    const other = await startReceiver();
    const { id: otherId } = await switchboard.addTarget('not paused', other.url, ['after.pause']);
    await switchboard.deliveryOnce(
      await switchboard.emit('after.pause'),
      otherId,
      ({ state }) => state === 'succeeded',
    );
    expect(receiver.hits).toEqual([]);
    await switchboard.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
  });

  it('is not created while its target is disabled', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('off', receiver.url, ['off.*'], { enabled: false });
    const missed = await switchboard.emit('off.event');
    expect(await switchboard.event(missed)).toMatchObject({ deliveries: [], status: 'unmatched' });
    await switchboard.read(target, `/targets/${targetId}`, { method: 'PATCH', json: { enabled: true } });
    const received = await switchboard.emit('off.event');
    await switchboard.deliveryOnce(received, targetId, ({ state }) => state === 'succeeded');
    expect(receiver.of(missed)).toEqual([]);
    expect((await switchboard.event(missed)).deliveries).toEqual([]);
  });

  it('is sent while at most fifteen others are in flight, and does not block other targets', async () => {
    const release: (() => void)[] = [];
    const slow = await startReceiver((response) => void release.push(() => response.writeHead(200).end()));
    const quick = await startReceiver();
    const { id: slowId } = await switchboard.addTarget('slow', slow.url, ['many.*']);
    const { id: quickId } = await switchboard.addTarget('quick', quick.url, ['many.*']);
    await Promise.all(Array.from({ length: 40 }, () => switchboard.emit('many.events')));
    await until('sixteen requests are open at the slow one', () => slow.requestsInProgress === 16);
    await until('all are delivered to the quick one', async () => (await succeeded(quickId)) === 40);
    expect(slow.peak).toBe(16);
    expect(slow.hits).toHaveLength(16);
    const { backlog } = await switchboard.read(target, `/targets/${slowId}`);
    expect(backlog).toMatchObject({ open: 40, in_flight: 16 });
    await until('the others arrive', () => {
      for (const finish of release.splice(0)) finish();
      return slow.hits.length === 40;
    });
    expect(slow.peak).toBe(16);
    await until('all are delivered to the slow one', async () => (await succeeded(slowId)) === 40);
    expect(new Set(slow.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });
});

it('an attempt ends after ten seconds without a response, and a second after its status if the body is slow', async () => {
  const durations: number[] = [];
  for (const [{ id }, outcome, seconds] of [
    [dripping, { status: 200, error: null }, 1],
    [hanging, { status: null, error: 'timeout' }, 10],
  ] as const) {
    const { attempts } = await switchboard.deliveryOnce(stuckEvent, id, (one) => one.attempts.length > 0);
    expect(attempts[0]).toMatchObject({ number: 1, ...outcome });
    expect(attempts[0]!.duration_ms).toBeGreaterThanOrEqual(seconds * SECOND - 100);
    durations.push(attempts[0]!.duration_ms);
  }
  expect(durations).toEqual(durations.toSorted((a, b) => a - b));
});
