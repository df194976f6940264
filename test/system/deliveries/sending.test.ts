import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ServerResponse } from 'node:http';
import type { DeliveryDetail } from '../../../src/contract/delivery';
import { target } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { reset } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const MEGABYTE = 1024 * 1024;

/** As short as a policy may have it. */
const TIMEOUT_MS = 1_000;

/** For so long the body of an answer is read. */
const EXCERPT_MS = 1_000;

const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
const certified = makeCertificate({ name: 'target', issuer: authority });

let board: Switchboard;
const receiver = useReceivers();

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
});

let saved = 0;
/** A target that takes events of a type of its own. */
async function add(url: string, more: object = {}) {
  const type = `sending.${(saved += 1)}`;
  const made = await board.addTarget(type, url, [type], { policy: { timeout_ms: TIMEOUT_MS }, ...more });
  return { id: made.id, type };
}

interface Sent {
  eventId: string;
  targetId: string;
  delivery: DeliveryDetail;
}

const tried = ({ attempts, state }: DeliveryDetail) => attempts.length > 0 && state !== 'in_flight';

/** What became of the first attempt to send one event there. */
async function sendOnce(url: string, more: object = {}): Promise<Sent> {
  const { id: targetId, type } = await add(url, more);
  const eventId = await board.emit(type);
  return { eventId, targetId, delivery: await board.deliveryOnce(eventId, targetId, tried) };
}

/** Lets the next attempt come due and waits for it. */
async function sendAgain({ eventId, targetId, delivery }: Sent): Promise<DeliveryDetail> {
  board.clock.move(Date.parse(delivery.due_at!) - board.clock.now() + SECOND);
  return board.deliveryOnce(
    eventId,
    targetId,
    ({ attempts, state }) => attempts.length > delivery.attempts.length && state !== 'in_flight',
  );
}

const failed = ({ delivery }: Sent, error: string, status: number | null = null) =>
  expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ number: 1, status, error }] });

const took = ({ delivery }: Sent) => delivery.attempts[0]!.duration_ms;

/** How long after an attempt the next one is due, in ms. */
function waitAfter({ delivery }: Sent): number {
  const { at, duration_ms } = delivery.attempts.at(-1)!;
  return Date.parse(delivery.due_at!) - Date.parse(at) - duration_ms;
}

describe('a target', () => {
  it('1. that refuses the connection is tried again, and gets the event once it listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const sent = await sendOnce(`http://127.0.0.1:${port}/`);
    failed(sent, 'connection_refused');
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

  it('2. that resets the connection has the same event again', async () => {
    const place = await receiver(reset);
    const sent = await sendOnce(place.url);
    failed(sent, 'connection_reset');
    place.answer(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    const [first, second] = place.of(sent.eventId);
    expect(second!.body).toEqual(first!.body);
    expect(place.of(sent.eventId).map(({ headers }) => headers['switchboard-attempt'])).toEqual(['1', '2']);
  });

  it('3. that hangs before its headers is given up in time, and the connection with it', async () => {
    const place = await receiver(() => undefined);
    const sent = await sendOnce(place.url);
    failed(sent, 'timeout');
    expect(took(sent)).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
    expect(took(sent)).toBeLessThan(TIMEOUT_MS + 2 * SECOND);
    await until('the connection to end', () => place.underWay === 0);
  });

  it('that repeats what it is sent keeps the secrets of it to itself', async () => {
    const credentials = 'of-some-length';
    const place = await receiver((response, { headers, path }) =>
      response.end(`${'x'.repeat(1_000)}${headers.authorization} ${String(headers['x-key'])} ${path}`),
    );
    const { delivery } = await sendOnce(`${place.url}&key=0123456789abcdef`, {
      headers: [
        { name: 'authorization', value: `Bearer ${credentials}`, secret: true },
        { name: 'x-key', value: 'y'.repeat(2_000), secret: true },
      ],
    });
    const excerpt = delivery.attempts[0]!.excerpt!;
    expect(excerpt.slice(0, 1_009)).toBe(`${'x'.repeat(1_000)}*** *** /`);
    const short = await receiver((response, { path }) => response.end(path));
    const other = await sendOnce(`${short.url}&key=0123456789abcdef`);
    expect(other.delivery.attempts[0]!.excerpt).toBe('/events?from=switchboard&key=***');
  });

  it('4. that hangs after its headers has succeeded by its status, and loses the connection', async () => {
    const place = await receiver((response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
    });
    const sent = await sendOnce(place.url);
    expect(sent.delivery).toMatchObject({
      state: 'succeeded',
      attempts: [{ status: 200, error: null, excerpt: 'half' }],
    });
    expect(took(sent)).toBeLessThan(EXCERPT_MS + 2 * SECOND);
    await until('the connection to end', () => place.underWay === 0);
  });

  it('5. that drips is waited for no longer, though each pause is short', async () => {
    const place = await receiver((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    });
    const sent = await sendOnce(place.url);
    expect(sent.delivery).toMatchObject({ state: 'succeeded', attempts: [{ status: 200, error: null }] });
    expect(took(sent)).toBeLessThan(EXCERPT_MS + 2 * SECOND);
    await until('the connection to end', () => place.underWay === 0);
  });

  it('is judged by its status where it breaks off in the middle of its answer', async () => {
    const taken = await sendOnce((await receiver(half(200))).url);
    expect(taken.delivery).toMatchObject({ state: 'succeeded', attempts: [{ status: 200, error: null }] });
    failed(await sendOnce((await receiver(half(500))).url), 'http_status', 500);
  });

  it('6. that answers without end has succeeded by its status, and loses the connection', async () => {
    let written = 0;
    const place = await receiver((response) => {
      response.writeHead(200);
      flood(response, (bytes) => (written += bytes));
    });
    const { delivery } = await sendOnce(place.url);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ excerpt: 'x'.repeat(1_024) }] });
    await until('the connection to end', () => place.underWay === 0);
    expect(written).toBeLessThan(16 * MEGABYTE);
  });

  it('7. that answers 429 with seconds is left alone for that long', async () => {
    const place = await receiver((response) => response.writeHead(429, { 'retry-after': '120' }).end());
    const sent = await sendOnce(place.url);
    failed(sent, 'http_status', 429);
    expect(waitAfter(sent)).toBeGreaterThanOrEqual(120 * SECOND);
    expect(waitAfter(sent)).toBeLessThan(180 * SECOND);
    place.answer(204);
    board.clock.move(100 * SECOND);
    await board.ask('/stats');
    expect(place.of(sent.eventId)).toHaveLength(1);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(place.of(sent.eventId)).toHaveLength(2);
  });

  it('8. that answers 429 with a date is left alone until then', async () => {
    const date = () => new Date(board.clock.now() + 300 * SECOND).toUTCString();
    const place = await receiver((response) => response.writeHead(429, { 'retry-after': date() }).end());
    const sent = await sendOnce(place.url);
    failed(sent, 'http_status', 429);
    expect(waitAfter(sent)).toBeGreaterThanOrEqual(298 * SECOND);
    expect(waitAfter(sent)).toBeLessThan(420 * SECOND);
    place.answer(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(place.of(sent.eventId)).toHaveLength(2);
  });

  it('9. that answers 410 is disabled for that reason, and sent nothing more', async () => {
    const place = await receiver(410);
    const { targetId, delivery } = await sendOnce(place.url);
    expect(delivery).toMatchObject({ state: 'dead', last_error: 'gone', attempts: [{ status: 410 }] });
    expect(await board.read(target, `/targets/${targetId}`)).toMatchObject({
      enabled: false,
      disabled: { reason: 'The target answered 410 Gone.' },
    });
    await board.emit(delivery.event_type);
    board.clock.move(24 * HOUR);
    await board.ask('/stats');
    expect(place.hits).toHaveLength(1);
  });

  it('10. that redirects is not followed', async () => {
    const elsewhere = await receiver();
    const place = await receiver((response) => response.writeHead(308, { location: elsewhere.url }).end());
    const sent = await sendOnce(place.url);
    failed(sent, 'http_status', 308);
    expect(place.hits).toHaveLength(1);
    expect(elsewhere.hits).toEqual([]);
  });

  it('11. whose certificate has expired is told so and sent nothing', async () => {
    const notAfter = Date.now() - HOUR;
    const place = await receiver(200, makeCertificate({ name: 'target', issuer: authority, notAfter }));
    failed(await sendOnce(place.url, { tls: { ca: authority.cert } }), 'certificate_expired');
    expect(place.hits).toEqual([]);
  });

  it('12. whose authority is unknown is sent nothing until that authority is given', async () => {
    const place = await receiver(200, certified);
    const sent = await sendOnce(place.url);
    failed(sent, 'certificate_unknown');
    expect(place.hits).toEqual([]);
    const json = { tls: { ca: authority.cert } };
    await board.read(target, `/targets/${sent.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(place.of(sent.eventId)).toHaveLength(1);
  });

  it('13. that wants a client certificate gets ours, and no event without it', async () => {
    const client = makeCertificate({ name: 'switchboard', issuer: authority });
    const asking = { ...certified, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const place = await receiver(200, asking);
    const without = await sendOnce(place.url, { tls: { ca: authority.cert } });
    expect(without.delivery).toMatchObject({ state: 'retrying', attempts: [{ status: null }] });
    expect(place.hits).toEqual([]);
    const json = { tls: { ca: authority.cert, ...client } };
    await board.read(target, `/targets/${without.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(without)).toMatchObject({ state: 'succeeded' });
    expect(place.of(without.eventId)).toHaveLength(1);
  });

  it('14. whose name is not known is tried again', async () => {
    failed(await sendOnce('http://nowhere.invalid/'), 'name_not_found');
  });

  it('15. that answers with a megabyte of headers has not answered', async () => {
    const place = await receiver((response) =>
      response.writeHead(200, { 'x-large': 'x'.repeat(MEGABYTE) }).end(),
    );
    const sent = await sendOnce(place.url);
    failed(sent, 'answer_too_large');
    place.answer(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(place.of(sent.eventId)).toHaveLength(2);
  });

  it('16. that answers with a megabyte has its beginning kept and its next event in time', async () => {
    const place = await receiver((response) => response.writeHead(200).end('y'.repeat(MEGABYTE)));
    const { delivery, targetId } = await sendOnce(place.url);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ excerpt: 'y'.repeat(1_024) }] });
    const next = await board.emit(delivery.event_type);
    await board.deliveryOnce(next, targetId, ({ state }) => state === 'succeeded');
    expect(place.hits).toHaveLength(2);
  });

  it('17. whose certificate is for another name is told so, unless nothing is to be verified', async () => {
    const hosts = { dns: ['elsewhere.example'], ip: [] };
    const place = await receiver(200, makeCertificate({ name: 'target', issuer: authority, hosts }));
    failed(await sendOnce(place.url, { tls: { ca: authority.cert } }), 'certificate_name');
    expect(place.hits).toEqual([]);
    const { delivery } = await sendOnce(place.url, { tls: { verify: false } });
    expect(delivery).toMatchObject({ state: 'succeeded' });
    expect(place.hits).toHaveLength(1);
  });
});

/** Answers with a status, and breaks off in the middle of the body. */
const half = (status: number) => (response: ServerResponse) => {
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
