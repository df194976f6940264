import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { HttpConnections } from '../../../src/relay/deliveries/sending/http-connections';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('the connections to a target', () => {
  const sockets = new Set<Socket>();
  const requests: { socket: Socket; to: string; header: string }[] = [];
  let answer: (socket: Socket) => void;
  let server: Server;
  let connections: HttpConnections;
  /** Where the next connection leads. */
  let address: string;
  let find: () => Promise<LookupAddress[]>;

  beforeEach(async () => {
    requests.length = 0;
    sockets.clear();
    address = '127.0.0.1';
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        requests.push({ socket, to: socket.localAddress!, header: data.toString('latin1') });
        answer(socket);
      });
    }).listen(0, '0.0.0.0');
    await once(server, 'listening');
    find = async () => [{ address, family: 4 }];
    const resolve = () => find();
    const url = `http://target.test:${(server.address() as AddressInfo).port}/`;
    const settings = { url, tls: null, policy: { ...DEFAULT_POLICY, timeout_ms: 2_000, concurrency: 1 } };
    connections = new HttpConnections(settings, { proxy: null, resolve, resolveProxy: resolve });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await connections.abort();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const send = () => connections.send({}, Buffer.from('{}'), ['confidential']);

  it.each([
    ['the same content-length twice', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok'],
    [
      'content-length and transfer-encoding',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header with a forbidden name', 'HTTP/1.1 200 OK\r\nno header: 1\r\n\r\n'],
    ['lines that end with LF', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
  ])('judge a response with %s by its status, and show it', async (_, text) => {
    answer = (socket) => socket.end(text);
    expect(await send()).toMatchObject({
      status: 200,
      error: null,
      excerpt: expect.stringMatching(/^Response .*: HTTP\/1\.1 200 OK/s),
    });
    answer = (socket) => socket.end(text.replace('200 OK', '503 Down'));
    expect(await send()).toMatchObject({ status: 503, error: 'http_status' });
  });

  it.each([
    [
      'response_invalid',
      'something else',
      'SSH-2.0-OpenSSH confidential\r\n',
      /Expected HTTP.*: SSH-2\.0-OpenSSH \*\*\*/,
    ],
    ['response_invalid', 'a status that is no number', 'HTTP/1.1 abc\r\n\r\n', /Invalid status code/],
    [
      'response_invalid',
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      /bad upgrade: HTTP\/1\.1 101/,
    ],
    ['tls_expected', 'an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46', /Expected HTTP/],
  ])('report %s for %s, with the reason and what arrived', async (error, _, text, excerpt) => {
    answer = (socket) => socket.end(Buffer.from(text, 'latin1'));
    expect(await send()).toMatchObject({ status: null, error, excerpt: expect.stringMatching(excerpt) });
  });

  it('accept interim responses that were not asked for', async () => {
    const interim = [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 102 Processing\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    ];
    answer = (socket) => socket.write([...interim, interim[0], OK].join(''));
    expect(await send()).toMatchObject({ status: 200, error: null, excerpt: 'ok' });
    answer = (socket) => {
      socket.write(interim[0]!);
      setImmediate(() => socket.write(OK));
    };
    expect(await send()).toMatchObject({ status: 200, error: null });
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(1);
  });

  it('are kept after trailers, and replaced after an answer that came before its request was sent', async () => {
    answer = (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n');
    expect(await send()).toMatchObject({ status: 200, error: null, excerpt: 'ok' });
    // Of a body that fills the buffers of both sockets, the target reads only the begin.
    answer = (socket) => {
      socket.pause();
      answer = () => undefined;
      socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 0\r\n\r\n');
    };
    const tooLarge = connections.send({}, Buffer.alloc(32 * 1024 * 1024), []);
    expect(await tooLarge).toMatchObject({ status: 413, error: 'http_status' });
    answer = (socket) => socket.write(OK);
    expect(await send()).toMatchObject({ status: 200, error: null });
    const [first, second, third] = requests.map(({ socket }) => socket);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('are as many as there are requests at a time', async () => {
    let waiting: Socket[] = [];
    answer = (socket) => {
      waiting.push(socket);
      if (waiting.length < 3) return;
      for (const one of waiting) one.write(OK);
      waiting = [];
    };
    for (let round = 0; round < 2; round += 1) await Promise.all([send(), send(), send()]);
    expect(sockets.size).toBe(3);
  });

  it('do not let a request wait for one that timed out before it was connected', async () => {
    answer = (socket) => socket.write(OK);
    const found = find;
    find = () => new Promise(() => undefined);
    expect(await send()).toMatchObject({ error: 'timeout' });
    find = found;
    expect(await send()).toMatchObject({ status: 200 });
  });

  it('are not used for longer than a minute, though requests never pause', async () => {
    answer = (socket) => socket.write(OK);
    const started = performance.now();
    const at = (second: number) => jest.spyOn(performance, 'now').mockReturnValue(started + second * 1_000);
    for (const second of [0, 10, 29]) {
      at(second);
      await send();
    }
    address = '127.0.0.2';
    at(61);
    // The last one on the old connection.
    await send();
    await send();
    expect(requests.map(({ to }) => to)).toEqual([
      ...Array.from({ length: 4 }, () => '127.0.0.1'),
      '127.0.0.2',
    ]);
    expect(requests[3]!.header).toMatch(/^connection: close\r$/m);
  });

  it('say that a connection was closed which had been used before', async () => {
    answer = (socket) => socket.write(OK);
    await send();
    answer = (socket) => socket.resetAndDestroy();
    expect(await send()).toMatchObject({ error: 'connection_reset', wasStale: true });
    expect(await send()).toMatchObject({ error: 'connection_reset', wasStale: false });
  });
});
