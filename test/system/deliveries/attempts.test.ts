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

let board: Switchboard;
const receiver = useReceivers();
/** Two targets that never come to an end, begun first so that nobody waits for their ten seconds. */
let stuckEvent: string;
let hanging: { id: string };
let dripping: { id: string };

beforeAll(async () => {
  board = await Switchboard.start();
  hanging = await board.addTarget('hanging', (await receiver(() => undefined)).url, ['stuck.*']);
  dripping = await board.addTarget('dripping', (await receiver(drip)).url, ['stuck.*']);
  stuckEvent = await board.emit('stuck.event');
});

afterAll(async () => {
  await board.end();
});

/** A byte every half second: every pause is short, the whole never ends. */
function drip(response: Parameters<Extract<Behaviour, Function>>[0]): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 500);
  response.on('close', () => clearInterval(timer));
}

const verifies = (secret: string, { headers, body }: Hit) =>
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
  (await board.read(pageOf(delivery), `/deliveries?target=${targetId}&status=succeeded&limit=200`)).data
    .length;

describe('a request to a target', () => {
  it.each([
    ['contact-updated', 'application/json; charset=utf-8'],
    ['not-utf8', 'application/x-odd; name="\u00e9"'],
    ['not-json', 'nonsense'],
    ['empty', null],
  ])('carries the bytes of %s and their content type unchanged', async (name, contentType) => {
    const place = await receiver();
    const made = await board.addTarget(`bytes of ${name}`, place.url, ['*']);
    const notification = signedNotification(name);
    const { json } = await board.notify(notification, { contentType });
    const { id } = json as { id: string };
    await until('the request', () => place.of(id).length === 1);
    const [hit] = place.of(id);
    expect(hit!.method).toBe('POST');
    expect(hit!.path).toBe('/events?from=switchboard');
    expect(hit!.body).toEqual(notification.body);
    expect(hit!.headers['content-type']).toBe(contentType ?? 'application/octet-stream');
    await board.removeTarget(made);
  });

  it('carries what the contract names and nothing else', async () => {
    const place = await receiver();
    const { secret } = await board.addTarget('headers', place.url, ['headers.*']);
    const before = Math.floor(Date.now() / SECOND);
    const notification = board.sign('headers.shown');
    const { json } = await board.notify(notification, { headers: [['x-of-upstream', 'not passed on']] });
    const { id } = json as { id: string };
    await until('the request', () => place.of(id).length === 1);
    const [hit] = place.of(id);
    const { headers } = hit!;
    const { deliveries } = await board.event(id);
    expect(headers).toEqual({
      host: `127.0.0.1:${place.port}`,
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
    verifies(secret, hit!);
    expect(() => verifies(secret, { ...hit!, body: Buffer.from('altered') })).toThrow();
  });

  it.each([
    ['x-any-name', 'x-any-name'],
    ['authorization', 'switchboard-upstream-signature'],
    ['webhook-signature', 'switchboard-upstream-signature'],
    ['switchboard-trigger', 'switchboard-upstream-signature'],
    ['traceparent', 'switchboard-upstream-signature'],
    ['user-agent', 'switchboard-upstream-signature'],
    ['te', 'switchboard-upstream-signature'],
  ])('passes a signature in %s on as %s', async (header, passedOn) => {
    const place = await receiver();
    const type = `signed.${header}`;
    const { id: targetId, secret } = await board.addTarget(type, place.url, [type]);
    const notification = board.sign(type);
    const value = `sha256=${notification.signature}`;
    const { json } = await board.notify({ ...notification, signature: value }, { header });
    const { id } = json as { id: string };
    await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    const [hit] = place.of(id);
    expect(hit!.headers[passedOn]).toBe(value);
    expect(Object.values(hit!.headers).filter((one) => one === value)).toHaveLength(1);
    verifies(secret, hit!);
  });

  it('carries a type that no header could, percent-encoded', async () => {
    const place = await receiver();
    const made = await board.addTarget('encoded', place.url, ['*']);
    const { json } = await board.notify(signedNotification('emoji-type'));
    const { id } = json as { id: string };
    await until('the request', () => place.of(id).length === 1);
    expect(place.of(id)[0]!.headers['switchboard-event-type']).toBe('deal.%F0%9F%98%80%20%C3%BC');
    const half = await board.emit('deal.\ud83d');
    await until('the request', () => place.of(half).length === 1);
    await board.removeTarget(made);
  });

  it('is sent as a sample where a target is tested; the outcome is told at once and nothing stored', async () => {
    const place = await receiver((response) => void response.writeHead(418).end('short and stout'));
    const { id, secret } = await board.addTarget('tested', place.url, ['tested.*']);
    const stored = async () => (await board.ask('/events?type=deal.created')).json;
    const before = await stored();
    const outcome = await board.read(testOutcome, `/targets/${id}/test`, { method: 'POST' });
    expect(outcome).toMatchObject({
      delivered: false,
      status: 418,
      error: 'http_status',
      excerpt: 'short and stout',
    });
    expect(place.hits).toHaveLength(1);
    expect(place.hits[0]!.headers).toMatchObject({
      'switchboard-trigger': 'test',
      'switchboard-attempt': '1',
    });
    verifies(secret, place.hits[0]!);
    expect(JSON.parse(place.hits[0]!.body.toString())).toMatchObject({
      event: 'deal.created',
      webhook_id: 'wh_0',
    });
    expect(await stored()).toEqual(before);
  });
});

describe('an attempt that fails', () => {
  it('is named for what happened, shown with what was answered, and tried again', async () => {
    const elsewhere = await receiver();
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
      ['a refusal', 404, { status: 404, error: 'http_status', excerpt: null }],
      ['not quite success', 304, { status: 304, error: 'http_status' }],
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
      ['a reset within the answer', cutOff, { status: 500, error: 'http_status', excerpt: 'half' }],
      ['no http', (r) => void r.socket!.end('nonsense\r\n\r\n'), { status: null, error: 'network' }],
      ['nobody there', `http://127.0.0.1:${closedPort}/`, { status: null, error: 'connection_refused' }],
      ['no such name', 'http://nowhere.invalid/', { status: null, error: 'name_not_found' }],
      ['no tls', `https://127.0.0.1:${elsewhere.port}/`, { status: null, error: 'tls' }],
    ];
    const targets: { name: string; id: string; expected: object }[] = [];
    for (const [name, at, expected] of cases) {
      const url = typeof at === 'string' ? at : (await receiver(at)).url;
      targets.push({
        name,
        expected,
        ...(await board.addTarget(name, url, ['failing.*']).then(({ id }) => ({ id }))),
      });
    }
    const id = await board.emit('failing.event');
    for (const { name, id: targetId, expected } of targets) {
      const found = await board.deliveryOnce(id, targetId, ({ attempts }) => attempts.length > 0);
      const [attempt] = found.attempts;
      expect({ name, ...attempt }).toMatchObject({ name, number: 1, ...expected });
      expect(found).toMatchObject({
        state: 'retrying',
        last_error: attempt!.error,
        last_status: attempt!.status,
      });
      const waitMs = Date.parse(found.due_at!) - Date.parse(attempt!.at) - attempt!.duration_ms;
      expect(waitMs).toBeGreaterThanOrEqual(4 * SECOND);
      expect(waitMs).toBeLessThanOrEqual(6 * SECOND);
    }
    expect(elsewhere.hits).toEqual([]);
    expect(await board.event(id)).toMatchObject({ status: 'retrying' });
    await Promise.all(targets.map((one) => board.removeTarget(one)));
    const { deliveries } = await board.event(id);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['cancelled']));
  });

  it('is no failure for an answer that never ends, of which only the beginning is read', async () => {
    let written = 0;
    const place = await receiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x'))) written += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { id: targetId } = await board.addTarget('huge', place.url, ['huge.*']);
    const id = await board.emit('huge.answer');
    const { attempts } = await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    expect(attempts[0]).toMatchObject({ status: 200, error: null, excerpt: 'x'.repeat(1_024) });
    await until('the connection to end', () => place.underWay === 0);
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('is followed by others with the same id and trace, a new count and a good signature', async () => {
    const place = await receiver(500);
    const { id: targetId, secret } = await board.addTarget('retried', place.url, ['retried.*']);
    const id = await board.emit('retried.event');
    for (const [count, waitMs] of [
      [1, 7 * SECOND],
      [2, 37 * SECOND],
    ] as const) {
      await board.deliveryOnce(id, targetId, attempted(count));
      board.clock.move(waitMs);
      if (count === 2) place.answer(204);
    }
    const { attempts, due_at } = await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    expect(attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 204],
    ]);
    expect(due_at).toBeNull();
    const hits = place.of(id);
    expect(hits.map(({ headers }) => headers['switchboard-attempt'])).toEqual(['1', '2', '3']);
    const [traces, spans] = [1, 2].map((part) =>
      hits.map(({ headers }) => String(headers['traceparent']).split('-')[part]),
    );
    expect(new Set(traces).size).toBe(1);
    expect(new Set(spans).size).toBe(3);
    expect(new Set(hits.map(({ headers }) => headers['switchboard-delivery'])).size).toBe(1);
    expect(new Set(hits.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    for (const hit of hits) verifies(secret, hit);
    const other = await board.emit('retried.event');
    await until('the other', () => place.of(other).length === 1);
    expect(String(place.of(other)[0]!.headers['traceparent']).split('-')[1]).not.toBe(traces![0]);
  });
});

describe('a delivery', () => {
  it('is tried eight times over about half a day, then dead; by hand it can be sent again', async () => {
    // An answer that is no outage: the breaker would spare its deliveries every further try.
    const place = await receiver(404);
    const { id: targetId } = await board.addTarget('schedule', place.url, ['schedule.*']);
    const id = await board.emit('schedule.event');
    const waits: number[] = [];
    for (let count = 1; count < 8; count += 1) {
      const { due_at, attempts, state } = await board.deliveryOnce(id, targetId, attempted(count));
      expect(state).toBe('retrying');
      const { at, duration_ms } = attempts.at(-1)!;
      waits.push(Date.parse(due_at!) - Date.parse(at) - duration_ms);
      // Not before it is due.
      board.clock.move(Date.parse(due_at!) - board.clock.now() - SECOND);
      expect(place.of(id)).toHaveLength(count);
      board.clock.move(SECOND);
    }
    const dead = await board.deliveryOnce(id, targetId, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({
      attempt_count: 8,
      due_at: null,
      last_status: 404,
      note: 'The target answered 404 at the last of 8 tries.',
    });
    expect(dead.settled_at).not.toBeNull();
    expect(waits.every((wait, i) => i === 0 || wait > waits[i - 1]!)).toBe(true);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBeGreaterThan(9 * HOUR);
    expect(total).toBeLessThan(15 * HOUR);
    expect(await board.event(id)).toMatchObject({ status: 'dead' });
    board.clock.move(100 * HOUR);

    place.answer(200);
    const again = await board.read(deliveryDetail, `/deliveries/${dead.id}/retry`, { method: 'POST' });
    expect(again).toMatchObject({ trigger: 'manual', attempt_count: 0 });
    expect(again.id).not.toBe(dead.id);
    await until('the new one', async () => (await board.delivery(again.id)).state === 'succeeded');
    expect(place.of(id)).toHaveLength(9);
    expect(place.of(id).at(-1)!.headers).toMatchObject({
      'switchboard-trigger': 'manual',
      'switchboard-attempt': '1',
      'switchboard-delivery': again.id,
      'webhook-id': id,
    });
    expect(await board.delivery(dead.id)).toEqual(dead);
    expect(await board.event(id)).toMatchObject({ status: 'succeeded' });
  });

  it('waits while its target is paused by hand', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('paused', place.url, ['paused.*']);
    const paused = await board.read(target, `/targets/${targetId}/pause`, { method: 'POST' });
    expect(paused.paused!.reason).toMatch(/operator/i);
    const id = await board.emit('paused.event');
    expect(await board.deliveryOnce(id, targetId, () => true)).toMatchObject({
      state: 'pending',
      attempts: [],
    });
    // Another target's delivery shows that the dispatcher has been at work since.
    const other = await receiver();
    const { id: otherId } = await board.addTarget('not paused', other.url, ['after.pause']);
    await board.deliveryOnce(await board.emit('after.pause'), otherId, ({ state }) => state === 'succeeded');
    expect(place.hits).toEqual([]);
    await board.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
  });

  it('is not made while its target is switched off: events pass by', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('off', place.url, ['off.*'], { enabled: false });
    const passed = await board.emit('off.event');
    expect(await board.event(passed)).toMatchObject({ deliveries: [], status: 'unmatched' });
    await board.read(target, `/targets/${targetId}`, { method: 'PATCH', json: { enabled: true } });
    const taken = await board.emit('off.event');
    await board.deliveryOnce(taken, targetId, ({ state }) => state === 'succeeded');
    expect(place.of(passed)).toEqual([]);
    expect((await board.event(passed)).deliveries).toEqual([]);
  });

  it('shares its target with fifteen others at most, and holds up no other target', async () => {
    const release: (() => void)[] = [];
    const slow = await receiver((response) => void release.push(() => response.writeHead(200).end()));
    const quick = await receiver();
    const { id: slowId } = await board.addTarget('slow', slow.url, ['many.*']);
    const { id: quickId } = await board.addTarget('quick', quick.url, ['many.*']);
    await Promise.all(Array.from({ length: 40 }, () => board.emit('many.events')));
    await until('sixteen at the slow one', () => slow.underWay === 16);
    await until('all at the quick one', async () => (await succeeded(quickId)) === 40);
    expect(slow.peak).toBe(16);
    expect(slow.hits).toHaveLength(16);
    const { backlog } = await board.read(target, `/targets/${slowId}`);
    expect(backlog).toMatchObject({ open: 40, in_flight: 16 });
    await until('the rest', () => {
      for (const finish of release.splice(0)) finish();
      return slow.hits.length === 40;
    });
    expect(slow.peak).toBe(16);
    await until('all at the slow one', async () => (await succeeded(slowId)) === 40);
    expect(new Set(slow.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });
});

it('an attempt ends after ten seconds where nothing comes, and a second after its status where the rest drips', async () => {
  for (const [{ id }, outcome, seconds] of [
    [dripping, { status: 200, error: null }, 1],
    [hanging, { status: null, error: 'timeout' }, 10],
  ] as const) {
    const { attempts } = await board.deliveryOnce(
      stuckEvent,
      id,
      (one) => one.attempts.length > 0,
      12 * SECOND,
    );
    expect(attempts[0]).toMatchObject({ number: 1, ...outcome });
    expect(attempts[0]!.duration_ms).toBeGreaterThanOrEqual(seconds * SECOND - 100);
    expect(attempts[0]!.duration_ms).toBeLessThan((seconds + 2) * SECOND);
  }
});

/** Sends headers and a piece of the body, then drops the connection. */
function cutOff(response: Parameters<Extract<Behaviour, Function>>[0]): void {
  response.writeHead(500, { 'content-length': '1000' });
  response.write('half', () => reset(response));
}
