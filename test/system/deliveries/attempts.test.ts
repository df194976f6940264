import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { delivery, deliveryDetail, type DeliveryDetail } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target, testOutcome } from '../../../src/contract/target';
import { reset, type Behaviour, type Hit } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { signedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

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

const assertSigned = (secret: string, { headers, body }: Hit) =>
  expect(() =>
    new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    }),
  ).not.toThrow();

const attempted =
  (count: number) =>
  ({ attempt_count, state }: DeliveryDetail) =>
    attempt_count === count && state !== 'in_flight';

const succeeded = async (targetId: string) =>
  (await switchboard.read(pageOf(delivery), `/deliveries?target=${targetId}&status=succeeded&limit=200`)).data
    .length;

describe('a request to a target', () => {
  it.each([
    ['contact-updated', 'application/json; charset=utf-8'],
    ['not-utf8', 'application/x-odd; name="\u00e9"'],
    ['not-json', 'nonsense'],
    ['empty', null],
  ])('has the bytes of %s and their content type unchanged', async (name, contentType) => {
    const receiver = await startReceiver();
    const created = await switchboard.addTarget(`bytes of ${name}`, receiver.url, ['*']);
    const notification = signedNotification(name);
    const { json } = await switchboard.notify(notification, { contentType });
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    const [hit] = receiver.of(id);
    expect(hit!.method).toBe('POST');
    expect(hit!.path).toBe('/events?from=switchboard');
    expect(hit!.body).toEqual(notification.body);
    expect(hit!.headers['content-type']).toBe(contentType ?? 'application/octet-stream');
    await switchboard.removeTarget(created);
  });

  it('has the documented headers and no others', async () => {
    const receiver = await startReceiver();
    const { secret } = await switchboard.addTarget('headers', receiver.url, ['headers.*']);
    const before = Math.floor(Date.now() / SECOND);
    const notification = switchboard.sign('headers.shown');
    const { json } = await switchboard.notify(notification, {
      headers: [['x-of-upstream', 'not passed on']],
    });
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    const [hit] = receiver.of(id);
    const { headers } = hit!;
    const { deliveries } = await switchboard.event(id);
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(notification.body.length),
      'content-type': 'application/json',
      'user-agent': `Switchboard/${version}`,
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      [SIGNATURE_HEADER]: notification.signature,
      'switchboard-event-type': 'headers.shown',
      'switchboard-delivery': deliveries.find(({ target_name }) => target_name === 'headers')!.id,
      'switchboard-attempt': '1',
      'switchboard-trigger': 'live',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    expect(Number(headers['webhook-timestamp'])).toBeGreaterThanOrEqual(before);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    assertSigned(secret, hit!);
    expect(() => assertSigned(secret, { ...hit!, body: Buffer.from('altered') })).toThrow();
  });

  it.each([
    ['x-any-name', 'x-any-name'],
    ['authorization', 'switchboard-upstream-signature'],
    ['webhook-signature', 'switchboard-upstream-signature'],
    ['switchboard-trigger', 'switchboard-upstream-signature'],
    ['traceparent', 'switchboard-upstream-signature'],
    ['user-agent', 'switchboard-upstream-signature'],
    ['te', 'switchboard-upstream-signature'],
  ])('forwards a signature in %s as %s', async (header, passedOn) => {
    const receiver = await startReceiver();
    const type = `signed.${header}`;
    const { id: targetId, secret } = await switchboard.addTarget(type, receiver.url, [type]);
    const notification = switchboard.sign(type);
    const value = `sha256=${notification.signature}`;
    const { json } = await switchboard.notify({ ...notification, signature: value }, { header });
    const { id } = json as { id: string };
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    const [hit] = receiver.of(id);
    expect(hit!.headers[passedOn]).toBe(value);
    expect(Object.values(hit!.headers).filter((one) => one === value)).toHaveLength(1);
    assertSigned(secret, hit!);
  });

  it('has an event type that is invalid in a header percent-encoded', async () => {
    const receiver = await startReceiver();
    const created = await switchboard.addTarget('encoded', receiver.url, ['*']);
    const { json } = await switchboard.notify(signedNotification('emoji-type'));
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    expect(receiver.of(id)[0]!.headers['switchboard-event-type']).toBe('deal.%F0%9F%98%80%20%C3%BC');
    const half = await switchboard.emit('deal.\ud83d');
    await until('the request arrives', () => receiver.of(half).length === 1);
    await switchboard.removeTarget(created);
  });

  it('is sent as a sample when a target is tested; the outcome is returned and nothing stored', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(418).end('short and stout'));
    const { id, secret } = await switchboard.addTarget('tested', receiver.url, ['tested.*']);
    const stored = async () => (await switchboard.ask('/events?type=deal.created')).json;
    const before = await stored();
    const outcome = await switchboard.read(testOutcome, `/targets/${id}/test`, { method: 'POST' });
    expect(outcome).toMatchObject({
      delivered: false,
      status: 418,
      error: 'http_status',
      excerpt: 'short and stout',
    });
    expect(receiver.hits).toHaveLength(1);
    expect(receiver.hits[0]!.headers).toMatchObject({
      'switchboard-trigger': 'test',
      'switchboard-attempt': '1',
    });
    assertSigned(secret, receiver.hits[0]!);
    expect(JSON.parse(receiver.hits[0]!.body.toString())).toMatchObject({
      event: 'deal.created',
      webhook_id: 'wh_0',
    });
    expect(await stored()).toEqual(before);
  });
});

describe('a failed attempt', () => {
  it('has an error name and an excerpt of the response, and is retried', async () => {
    const elsewhere = await startReceiver();
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port: closedPort } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
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
        'a redirect',
        (r) => void r.writeHead(307, { location: elsewhere.url }).end(),
        { status: 307, error: 'http_status' },
      ],
      [
        'a long error',
        (r) => void r.writeHead(503).end(big),
        { status: 503, error: 'http_status', excerpt: expect.stringMatching(/^\u00e9{512}$/) },
      ],
      ['a reset', reset, { status: null, error: 'connection_reset', excerpt: null }],
      ['a reset within the response', cutOff, { status: 500, error: 'http_status', excerpt: 'half' }],
      ['no http', (r) => void r.socket!.end('nonsense\r\n\r\n'), { status: null, error: 'response_invalid' }],
      ['nothing listening', `http://127.0.0.1:${closedPort}/`, { status: null, error: 'connection_refused' }],
      ['no such name', 'http://nowhere.invalid/', { status: null, error: 'name_not_found' }],
      ['no tls', `https://127.0.0.1:${elsewhere.port}/`, { status: null, error: 'tls_not_spoken' }],
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
    expect(elsewhere.hits).toEqual([]);
    expect(await switchboard.event(id)).toMatchObject({ status: 'retrying' });
    await Promise.all(targets.map((one) => switchboard.removeTarget(one)));
    const { deliveries } = await switchboard.event(id);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['cancelled']));
  });

  it('is a success despite an endless response, of which only the beginning is read', async () => {
    let written = 0;
    const receiver = await startReceiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x'))) written += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { id: targetId } = await switchboard.addTarget('huge', receiver.url, ['huge.*']);
    const id = await switchboard.emit('huge.answer');
    const { attempts } = await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    expect(attempts[0]).toMatchObject({ status: 200, error: null, excerpt: 'x'.repeat(1_024) });
    await until('the connection ends', () => receiver.requestsInProgress === 0);
    expect(written).toBeLessThan(16 * 1024 * 1024);
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
  it('is attempted eight times over about half a day, then dead, and can be retried', async () => {
    // Not an outage: with an open circuit breaker, further attempts would not be counted.
    const receiver = await startReceiver(404);
    const { id: targetId } = await switchboard.addTarget('schedule', receiver.url, ['schedule.*']);
    const id = await switchboard.emit('schedule.event');
    const waits: number[] = [];
    for (let count = 1; count < 8; count += 1) {
      const { due_at, attempts, state } = await switchboard.deliveryOnce(id, targetId, attempted(count));
      expect(state).toBe('retrying');
      const { at, duration_ms } = attempts.at(-1)!;
      waits.push(Date.parse(due_at!) - Date.parse(at) - duration_ms);
      // Just before it is due.
      switchboard.clock.move(Date.parse(due_at!) - switchboard.clock.now() - SECOND);
      expect(receiver.of(id)).toHaveLength(count);
      switchboard.clock.move(SECOND);
    }
    const dead = await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({
      attempt_count: 8,
      due_at: null,
      last_status: 404,
      note: 'HTTP 404 after 8 attempts.',
    });
    expect(dead.finished_at).not.toBeNull();
    expect(waits.every((wait, i) => i === 0 || wait > waits[i - 1]!)).toBe(true);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBeGreaterThan(9 * HOUR);
    expect(total).toBeLessThan(15 * HOUR);
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
    expect(receiver.of(id)).toHaveLength(9);
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

/** Sends headers and a part of the body, then resets the connection. */
function cutOff(response: Parameters<Extract<Behaviour, Function>>[0]): void {
  response.writeHead(500, { 'content-length': '1000' });
  response.write('half', () => reset(response));
}
