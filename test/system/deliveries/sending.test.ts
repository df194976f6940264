import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ServerResponse } from 'node:http';
import type { DeliveryDetail, DeliveryState } from '../../../src/contract/delivery';
import { target } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { reset } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const MEGABYTE = 1024 * 1024;

/** The shortest timeout that a policy allows. */
const TIMEOUT_MS = 1_000;

/** After this time the body of a response is not read any further. */
const READ_TIMEOUT_MS = 1_000;

/** The timeout of a target whose policy has none, which a busy machine does not reach. */
const DEFAULT_TIMEOUT_MS = 10_000;

const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
const certified = makeCertificate({ name: 'target', issuer: authority });

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
});

let added = 0;
/** Adds a target for events of a type that no other target receives. */
async function add(url: string, more: object = {}) {
  const type = `sending.${(added += 1)}`;
  const created = await switchboard.addTarget(type, url, [type], {
    policy: { timeout_ms: TIMEOUT_MS },
    ...more,
  });
  return { id: created.id, type };
}

interface SentEvent {
  eventId: string;
  targetId: string;
  delivery: DeliveryDetail;
}

const attempted = ({ attempts, state }: DeliveryDetail) => attempts.length > 0 && state !== 'in_flight';

/** Adds a target at the URL and sends it one event. @returns its delivery after the first attempt */
async function sendOnce(url: string, more: object = {}): Promise<SentEvent> {
  const { id: targetId, type } = await add(url, more);
  const eventId = await switchboard.emit(type);
  return { eventId, targetId, delivery: await switchboard.deliveryOnce(eventId, targetId, attempted) };
}

/** Advances the clock until the next attempt is due, and waits for its result. */
async function sendAgain({ eventId, targetId, delivery }: SentEvent): Promise<DeliveryDetail> {
  switchboard.clock.move(Date.parse(delivery.due_at!) - switchboard.clock.now() + SECOND);
  return switchboard.deliveryOnce(
    eventId,
    targetId,
    ({ attempts, state }) => attempts.length > delivery.attempts.length && state !== 'in_flight',
  );
}

const assertRetrying = ({ delivery }: SentEvent, error: string, status: number | null = null) =>
  expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ number: 1, status, error }] });

const durationOf = ({ delivery }: SentEvent) => delivery.attempts[0]!.duration_ms;

/** The pause between an attempt and the next one, in ms. */
function pauseAfter({ delivery }: SentEvent): number {
  const { at, duration_ms } = delivery.attempts.at(-1)!;
  return Date.parse(delivery.due_at!) - Date.parse(at) - duration_ms;
}

/** Sends an event, and another one on the same connection, which `close` gets. @returns the numbers of the attempts of the second one */
async function sendTwice(close: (response: ServerResponse) => void, endState: DeliveryState) {
  const used = new WeakSet<object>();
  const receiver = await startReceiver((response) => {
    if (used.has(response.socket!)) close(response);
    else response.writeHead(204).end();
    used.add(response.socket!);
  });
  const { delivery, targetId } = await sendOnce(receiver.url);
  const eventId = await switchboard.emit(delivery.event_type);
  const second = await switchboard.deliveryOnce(
    eventId,
    targetId,
    ({ attempts, state }) => attempts.length > 0 && state === endState,
  );
  const sent = receiver.of(eventId).map(({ headers }) => headers['switchboard-attempt']);
  return { delivery: second, sent };
}

describe('a target', () => {
  it('1. that refuses the connection is retried, and gets the event once it listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const sent = await sendOnce(`http://127.0.0.1:${port}/`);
    assertRetrying(sent, 'connection_refused');
    const got: string[] = [];
    const late = createServer((socket) => {
      socket.on('data', (bytes) => got.push(String(bytes)));
      socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
    }).listen(port, '127.0.0.1');
    await once(late, 'listening');
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(got.join('')).toContain(`webhook-id: ${sent.eventId}`);
    late.close();
  });

  it('2. that resets the connection receives the same event again', async () => {
    const receiver = await startReceiver(reset);
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'connection_reset');
    receiver.respondWith(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    const [first, second] = receiver.of(sent.eventId);
    expect(second!.body).toEqual(first!.body);
    expect(receiver.of(sent.eventId).map(({ headers }) => headers['switchboard-attempt'])).toEqual([
      '1',
      '2',
    ]);
  });

  describe('that closes a connection as its next event arrives there', () => {
    it.each([
      ['reset', reset],
      ['ended', (response: ServerResponse) => void response.socket!.end()],
    ])('is sent it once more at once, as the next attempt: %s', async (_, close) => {
      const { delivery, sent } = await sendTwice(close, 'succeeded');
      expect(delivery.attempts).toMatchObject([
        { number: 1, status: null, error: 'connection_reset' },
        { number: 2, status: 204, error: null },
      ]);
      expect(sent).toEqual(['1', '2']);
    });

    it('is not, if it has begun to respond', async () => {
      const { delivery, sent } = await sendTwice(
        (response) => void response.socket!.end('HTTP/1.1 2'),
        'retrying',
      );
      expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ error: 'connection_reset' }] });
      expect(sent).toEqual(['1']);
    });
  });

  it('3. that sends no headers times out, and its connection is closed', async () => {
    const receiver = await startReceiver(() => undefined);
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'timeout');
    expect(durationOf(sent)).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
    expect(durationOf(sent)).toBeLessThan(DEFAULT_TIMEOUT_MS);
    await until('the connection ends', () => receiver.requestsInProgress === 0);
  });

  it('that echoes requests does not reveal their secrets', async () => {
    const credentials = 'of-some-length';
    const receiver = await startReceiver((response, { headers, path }) =>
      response.end(`${'x'.repeat(1_000)}${headers.authorization} ${String(headers['x-key'])} ${path}`),
    );
    const { delivery } = await sendOnce(`${receiver.url}&key=0123456789abcdef`, {
      headers: [
        { name: 'authorization', value: `Bearer ${credentials}`, secret: true },
        { name: 'x-key', value: 'y'.repeat(2_000), secret: true },
      ],
    });
    const excerpt = delivery.attempts[0]!.excerpt!;
    expect(excerpt.slice(0, 1_009)).toBe(`${'x'.repeat(1_000)}*** *** /`);
    const short = await startReceiver((response, { path }) => response.end(path));
    const other = await sendOnce(`${short.url}&key=0123456789abcdef`);
    expect(other.delivery.attempts[0]!.excerpt).toBe('/events?from=switchboard&key=***');
  });

  it('4. that sends no body after its headers has succeeded by its status, and its connection is closed', async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
    });
    const sent = await sendOnce(receiver.url);
    expect(sent.delivery).toMatchObject({
      state: 'succeeded',
      attempts: [{ status: 200, error: null, excerpt: 'half' }],
    });
    expect(durationOf(sent)).toBeGreaterThanOrEqual(READ_TIMEOUT_MS - 50);
    expect(durationOf(sent)).toBeLessThan(DEFAULT_TIMEOUT_MS);
    await until('the connection ends', () => receiver.requestsInProgress === 0);
  });

  it('5. that sends its response slowly has succeeded by its status, and its connection is closed', async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    });
    const sent = await sendOnce(receiver.url);
    expect(sent.delivery).toMatchObject({ state: 'succeeded', attempts: [{ status: 200, error: null }] });
    expect(durationOf(sent)).toBeGreaterThanOrEqual(READ_TIMEOUT_MS - 50);
    expect(durationOf(sent)).toBeLessThan(DEFAULT_TIMEOUT_MS);
    await until('the connection ends', () => receiver.requestsInProgress === 0);
  });

  it('that breaks off in the middle of its response is classified by its status', async () => {
    const succeeded = await sendOnce((await startReceiver(cutOff(200))).url);
    expect(succeeded.delivery).toMatchObject({
      state: 'succeeded',
      attempts: [{ status: 200, error: null }],
    });
    assertRetrying(await sendOnce((await startReceiver(cutOff(500))).url), 'http_status', 500);
  });

  it('6. that responds endlessly has succeeded by its status, and its connection is closed', async () => {
    let written = 0;
    const receiver = await startReceiver((response) => {
      response.writeHead(200);
      flood(response, (bytes) => (written += bytes));
    });
    const { delivery } = await sendOnce(receiver.url);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ excerpt: 'x'.repeat(1_024) }] });
    await until('the connection ends', () => receiver.requestsInProgress === 0);
    expect(written).toBeLessThan(16 * MEGABYTE);
  });

  it('7. that responds with 429 and seconds gets no request for that long', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(429, { 'retry-after': '120' }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 429);
    expect(pauseAfter(sent)).toBeGreaterThanOrEqual(120 * SECOND);
    expect(pauseAfter(sent)).toBeLessThan(180 * SECOND);
    receiver.respondWith(204);
    switchboard.clock.move(100 * SECOND);
    await switchboard.ask('/stats');
    expect(receiver.of(sent.eventId)).toHaveLength(1);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('8. that responds with 429 and a date gets no request until then', async () => {
    const date = () => new Date(switchboard.clock.now() + 300 * SECOND).toUTCString();
    const receiver = await startReceiver((response) =>
      response.writeHead(429, { 'retry-after': date() }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 429);
    expect(pauseAfter(sent)).toBeGreaterThanOrEqual(298 * SECOND);
    expect(pauseAfter(sent)).toBeLessThan(420 * SECOND);
    receiver.respondWith(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('9. that responds with 410 is disabled for that reason, and sent nothing more', async () => {
    const receiver = await startReceiver(410);
    const { targetId, delivery } = await sendOnce(receiver.url);
    expect(delivery).toMatchObject({ state: 'dead', last_error: 'gone', attempts: [{ status: 410 }] });
    expect(await switchboard.read(target, `/targets/${targetId}`)).toMatchObject({
      enabled: false,
      disabled: { reason: 'HTTP 410 Gone.' },
    });
    await switchboard.emit(delivery.event_type);
    switchboard.clock.move(24 * HOUR);
    await switchboard.ask('/stats');
    expect(receiver.hits).toHaveLength(1);
  });

  it('10. that redirects is not followed', async () => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((response) =>
      response.writeHead(308, { location: elsewhere.url }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 308);
    expect(receiver.hits).toHaveLength(1);
    expect(elsewhere.hits).toEqual([]);
  });

  it('11. whose certificate has expired is sent nothing', async () => {
    const notAfter = Date.now() - HOUR;
    const receiver = await startReceiver(
      200,
      makeCertificate({ name: 'target', issuer: authority, notAfter }),
    );
    assertRetrying(await sendOnce(receiver.url, { tls: { ca: authority.cert } }), 'certificate_expired');
    expect(receiver.hits).toEqual([]);
  });

  it('12. whose certificate authority is unknown is sent nothing until that authority is set', async () => {
    const receiver = await startReceiver(200, certified);
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'certificate_unknown');
    expect(receiver.hits).toEqual([]);
    const json = { tls: { ca: authority.cert } };
    await switchboard.read(target, `/targets/${sent.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(1);
  });

  it('13. that requires a client certificate receives the event only with one', async () => {
    const client = makeCertificate({ name: 'switchboard', issuer: authority });
    const asking = { ...certified, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const receiver = await startReceiver(200, asking);
    const without = await sendOnce(receiver.url, { tls: { ca: authority.cert } });
    expect(without.delivery).toMatchObject({ state: 'retrying', attempts: [{ status: null }] });
    expect(receiver.hits).toEqual([]);
    const json = { tls: { ca: authority.cert, ...client } };
    await switchboard.read(target, `/targets/${without.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(without)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(without.eventId)).toHaveLength(1);
  });

  it('14. whose host name is not found is retried', async () => {
    assertRetrying(await sendOnce('http://nowhere.invalid/'), 'name_not_found');
  });

  it('15. that sends a megabyte of headers has failed', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(200, { 'x-large': 'x'.repeat(MEGABYTE) }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'answer_too_large');
    receiver.respondWith(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('16. that sends a megabyte has an excerpt stored, and gets its next event in time', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end('y'.repeat(MEGABYTE)));
    const { delivery, targetId } = await sendOnce(receiver.url);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ excerpt: 'y'.repeat(1_024) }] });
    const next = await switchboard.emit(delivery.event_type);
    await switchboard.deliveryOnce(next, targetId, ({ state }) => state === 'succeeded');
    expect(receiver.hits).toHaveLength(2);
  });

  it('17. whose certificate is for another name is sent nothing, unless verification is off', async () => {
    const hosts = { dns: ['elsewhere.example'], ip: [] };
    const receiver = await startReceiver(200, makeCertificate({ name: 'target', issuer: authority, hosts }));
    assertRetrying(await sendOnce(receiver.url, { tls: { ca: authority.cert } }), 'certificate_name');
    expect(receiver.hits).toEqual([]);
    const { delivery } = await sendOnce(receiver.url, { tls: { verify: false } });
    expect(delivery).toMatchObject({ state: 'succeeded' });
    expect(receiver.hits).toHaveLength(1);
  });
});

/** Responds with a status, and cuts the body off. */
const cutOff = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-length': 10 });
  response.write('half', () => reset(response));
};

function flood(response: ServerResponse, count: (bytes: number) => void): void {
  const chunk = Buffer.alloc(16_384, 'x');
  const more = () => {
    while (!response.destroyed && response.write(chunk)) count(chunk.length);
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}
