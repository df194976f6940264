import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerMalformed } from '../../../src/relay/http/malformed-request';
import { onRejected, type RejectedRequest } from '../../../src/relay/http/rejected-request';
import { MAX_PARSED_HEAD_BYTES } from '../../../src/relay/http/check-head';
import { serveInTurn } from '../../../src/relay/http/serve-in-turn';
import { RawConnection } from '../../support/raw-connection';
import { until } from '../../support/until';

const START = 'POST /hooks/key?a=b HTTP/1.1\r\n';
const URL_SENT = '/hooks/key?a=b';
const header = (bytes: number) => `x-trace: ${'x'.repeat(bytes)}\r\n`;

let server: Server;
let connection: RawConnection;
let rejected: RejectedRequest[];
let served: string[];
let sockets: Set<Socket>;

/** A server that never answers `/slow`. */
async function start(options: ServerOptions = {}): Promise<void> {
  rejected = [];
  served = [];
  sockets = new Set();
  server = createServer(
    { requireHostHeader: false, maxHeaderSize: MAX_PARSED_HEAD_BYTES, ...options },
    (request, response) => {
      served.push(request.url!);
      request.resume();
      if (request.url !== '/slow') response.end('served');
    },
  );
  server.maxHeadersCount = 0;
  server.on('clientError', (error, socket) => answerMalformed(server, error, socket as Socket));
  onRejected(server, (one) => rejected.push(one));
  serveInTurn(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = new RawConnection((server.address() as AddressInfo).port);
}
afterEach(() => {
  connection.close();
  server.closeAllConnections();
  server.close();
});

describe('a request that no listener gets is reported with its URL', () => {
  it.each<[string, string, number, RejectedRequest['reason']]>([
    ['has large headers', `${START}host: x\r\n${header(40_000)}\r\n`, 431, 'headers_too_large'],
    ['has many headers', `${START}host: x\r\n${'a: b\r\n'.repeat(17_000)}\r\n`, 431, 'headers_too_large'],
    ['is no valid HTTP', `${START}host: x\r\nno header\r\n\r\n`, 400, 'malformed'],
    ['has no Host', `${START}\r\n`, 400, 'malformed'],
    ['has two Hosts', `${START}host: x\r\nHost: x\r\n\r\n`, 400, 'malformed'],
    [
      'has two Hosts far apart',
      `${START}host: x\r\n${'a: b\r\n'.repeat(1_500)}host: y\r\n\r\n`,
      400,
      'malformed',
    ],
    ['expects something', `${START}host: x\r\nexpect: more\r\n\r\n`, 417, 'expectation_failed'],
  ])('if it %s', async (_, text, status, reason) => {
    await start();
    expect(await connection.write(text).untilEnded()).toContain('problem+json');
    expect(connection.statuses).toEqual([status]);
    expect(rejected).toEqual([{ url: URL_SENT, reason }]);
    expect(served).toEqual([]);
  });

  it('if it is the third that waits on its connection; those before it are given up', async () => {
    await start();
    const waiting = ['/1', '/2', '/3'].map((url) => `GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`);
    connection.begin('GET', '/slow').write(waiting.join(''));
    await connection.untilEnded();
    await until('all are reported', () => rejected.length === 3);
    expect(rejected).toEqual([
      { url: '/3', reason: 'pipelined' },
      { url: '/1', reason: 'aborted' },
      { url: '/2', reason: 'aborted' },
    ]);
  });

  it('if its connection is closed while it waits for its turn', async () => {
    await start();
    connection.begin('GET', '/slow').begin('POST', URL_SENT, { 'content-length': 0 });
    await until('the first is served', () => served.length === 1);
    connection.close();
    await until('it is reported', () => rejected.length === 1);
    expect(rejected).toEqual([{ url: URL_SENT, reason: 'aborted' }]);
  });
});

describe('a request is reported without a URL', () => {
  it('if the parser fails after the packet in which it began', async () => {
    await start();
    connection.write(`${START}host: x\r\n`);
    await until('the start is read', () => [...sockets][0]?.bytesRead === START.length + 9);
    await connection.write('no header\r\n\r\n').untilEnded();
    expect(rejected).toEqual([{ url: null, reason: 'malformed' }]);
  });

  it('if its headers are larger than what is read at once', async () => {
    await start();
    await connection.write(`${START}host: x\r\n${header(80_000)}\r\n`).untilEnded();
    expect(connection.statuses).toEqual([431]);
    expect(rejected).toEqual([{ url: null, reason: 'headers_too_large' }]);
  });

  it('if it does not arrive in time', async () => {
    await start({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 });
    await connection.write(START).untilEnded();
    expect(connection.statuses).toEqual([408]);
    expect(rejected).toEqual([{ url: null, reason: 'request_timeout' }]);
  });
});

it.each([
  ['has a malformed body', 'no chunk\r\n'],
  ['ends within its body', null],
])('a request that %s is not reported: whoever reads it is told', async (_, body) => {
  await start();
  connection.begin('POST', '/slow', { 'transfer-encoding': 'chunked' });
  await until('it is served', () => served.length === 1);
  if (body === null) connection.close();
  else await connection.write(body).untilEnded();
  await until('it is closed', () => sockets.size === 0);
  expect(rejected).toEqual([]);
});

it('a request is served with 32 KiB of headers, however many they are, and after it two that wait', async () => {
  await start();
  const many = 'a: b\r\n'.repeat(4_000);
  connection.write(`GET /many HTTP/1.1\r\nhost: x\r\n${many}\r\n`);
  await connection.untilResponses();
  connection.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
  await connection.untilResponses(4);
  expect(served).toEqual(['/many', '/next', '/next', '/next']);
  expect(rejected).toEqual([]);
});
