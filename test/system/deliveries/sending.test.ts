import type { ServerResponse } from 'node:http';
import type { DeliveryState } from '../../../src/contract/delivery';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { reset } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import {
  MEGABYTE,
  SentEvent,
  TIMEOUT_MS,
  assertRetrying,
  sendAgain,
  sendOnce,
  startReceiver,
  switchboard,
  useSending,
} from './sent-event';

useSending();

/** After this time the body of a response is not read any further. */
const READ_TIMEOUT_MS = 1_000;

/** The timeout of a target whose policy has none, which a busy machine does not reach. */
const DEFAULT_TIMEOUT_MS = 10_000;

const durationOf = ({ delivery }: SentEvent) => delivery.attempts[0]!.duration_ms;

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
