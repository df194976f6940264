import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { systemRandom } from '../../../src/relay/ground/random';
import type { Daemons } from '../../../src/relay/ground/daemons';
import { connectToLeader } from '../../../src/relay/several-daemons/connect-to-leader';
import { Forwarder } from '../../../src/relay/several-daemons/forwarder';
import { ForwardedPeers, PEER_HEADER } from '../../../src/relay/secrets/forwarded-peers';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { ONLY_DAEMON } from '../../support/only-daemon';
import { RawConnection } from '../../support/raw-connection';
import { until } from '../../support/until';

const PROOF_PATH = '/proof';
const EPOCH = 3;
const sealer = new Sealer(Buffer.alloc(32, 7), systemRandom);
const closers: (() => unknown)[] = [];

interface Received {
  request: IncomingMessage;
  body: string;
  /** Whom the leader takes for the client. */
  peer: string | null;
}

/** The leader that the other daemon knows. */
let leader: { epoch: number; address: string } | null;
let received: Received[];
/** All that the leader read. */
let wire = '';
let port: number;

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listen(listener: RequestListener, requireHostHeader = true): Promise<Server> {
  const server = createServer({ requireHostHeader }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

/**
 * A daemon that leads, and records what it is asked.
 * @param daemon the host of the other daemon
 * @param known where others reach it; by default where it listens
 * @returns where it listens
 */
async function startLeader(daemon = '127.0.0.1', known?: string): Promise<string> {
  let address = '';
  const daemons = Object.create(ONLY_DAEMON.daemons, {
    endpoints: { value: [{ host: daemon, port: 1 }] },
    ownAddress: { get: () => ({ epoch: EPOCH, address: known ?? address }) },
  }) as Daemons;
  const peers = new ForwardedPeers(sealer, daemons, pino({ enabled: false }));
  const server = await listen((request, response) => {
    const { searchParams, pathname } = new URL(request.url!, 'http://leader');
    if (pathname === PROOF_PATH) {
      response.end(JSON.stringify(peers.answer(searchParams.get('nonce')!, request.socket)));
      return;
    }
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ request, body, peer: peers.of(request.socket) });
      response.end('answered');
    });
  });
  peers.attach(server);
  server.on('connection', (socket: Socket) =>
    socket.on('data', (chunk: Buffer) => (wire += chunk.toString('latin1'))),
  );
  address = `http://127.0.0.1:${portOf(server)}`;
  return address;
}

const open = (at = port) => {
  const connection = new RawConnection(at);
  closers.push(() => connection.close());
  return connection;
};

beforeEach(async () => {
  received = [];
  wire = '';
  leader = { epoch: EPOCH, address: await startLeader() };
  const forwarder = new Forwarder({ leader: () => leader, proofPath: PROOF_PATH, sealer });
  const server = await listen((request, response) => void forwarder.forward(request, response), false);
  closers.push(() => forwarder.close());
  port = portOf(server);
});
afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close();
});

describe('a request that is forwarded to the leader', () => {
  it.each([
    ['POST', 'content-length'],
    ['POST', 'transfer-encoding'],
    ['DELETE', 'content-length'],
    ['DELETE', 'transfer-encoding'],
    ['GET', 'transfer-encoding'],
    ['OPTIONS', 'transfer-encoding'],
  ])('is one request, with its body: %s with %s', async (method, framing) => {
    const hidden = 'POST /hidden HTTP/1.1\r\nhost: leader\r\nremote-user: ada\r\n\r\n';
    const isChunked = framing === 'transfer-encoding';
    const connection = open().begin(method, '/asked?x=1', {
      // What belongs to the connection is not forwarded, however the client calls it.
      connection: 'close, content-length, transfer-encoding',
      [framing]: isChunked ? 'chunked' : hidden.length,
    });
    connection.write(isChunked ? `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n` : hidden);
    await connection.untilEnded();
    expect(connection.statuses).toEqual([200]);
    expect(received.map(({ request, body }) => [request.method, request.url, body])).toEqual([
      [method, '/asked?x=1', hidden],
    ]);
    expect(wire).toMatch(new RegExp(`\r\n${framing}: [^]*\r\n\r\n[^]*POST /hidden`, 'i'));
  });

  it('has what the client calls part of its connection, such as the marks of a delivery', async () => {
    const connection = open().begin('GET', '/asked', {
      connection: 'close, webhook-id',
      'webhook-id': 'evt_1',
    });
    await connection.untilEnded();
    expect(received.map(({ request }) => request.headers['webhook-id'])).toEqual(['evt_1']);
  });

  it('may wait for its answer for any time', async () => {
    const { socket } = await connectToLeader(leader!, PROOF_PATH, sealer, (opened) =>
      closers.push(() => opened.destroy()),
    );
    expect(socket.timeout).toBe(0);
  });

  it('needs no Host in HTTP/1.0', async () => {
    const connection = open().write('GET /asked HTTP/1.0\r\n\r\n');
    await connection.untilEnded();
    expect(received.map(({ request }) => request.url)).toEqual(['/asked']);
  });

  it('has the peer of its connection, which nobody else can say', async () => {
    const forged = { [PEER_HEADER]: '10.0.0.1 0' };
    await open().begin('GET', '/asked', forged).untilResponses();
    expect(received.splice(0).map(({ peer }) => peer)).toEqual(['127.0.0.1']);
    const seen = new RegExp(`${PEER_HEADER}: (.*)\r\n`).exec(wire)![1]!;
    // What crossed the network is worth nothing on another connection, with or without a challenge of its own.
    await open(Number(new URL(leader!.address).port))
      .begin('GET', '/asked', { [PEER_HEADER]: seen })
      .untilResponses();
    const challenged = open(Number(new URL(leader!.address).port)).begin('GET', `${PROOF_PATH}?nonce=1`);
    await challenged.untilResponses();
    await challenged.begin('GET', '/asked', { [PEER_HEADER]: seen }).untilResponses(2);
    await challenged.begin('GET', '/asked').untilResponses(3);
    expect(received.map(({ peer }) => peer)).toEqual(['unknown', 'unknown', null]);
  });

  it('is not believed from an address that no daemon has', async () => {
    leader!.address = await startLeader('127.0.0.9');
    await open().begin('GET', '/asked').untilResponses();
    expect(received.map(({ peer }) => peer)).toEqual(['unknown']);
  });
});

describe('whoever listens at the address of the leader without its key', () => {
  const SECRETS = { authorization: 'Bearer secret', cookie: 'session=secret' };

  it.each<[string, (realLeader: string) => RequestListener]>([
    ['proves nothing', () => (_, response) => response.end('<script>evil</script>')],
    [
      'responds with an empty proof',
      () => (_, response) => response.end('{"leader_proof":"","challenge":""}'),
    ],
    ['responds without an end', () => (_, response) => void response.write('{'.padEnd(2_000))],
    ['closes the connection', () => (request) => void request.socket.destroy()],
    [
      'passes the question to the real leader',
      (realLeader) => async (request, response) =>
        response.end(await (await fetch(realLeader + request.url)).text()),
    ],
    [
      'redirects',
      (realLeader) => (_, response) => void response.writeHead(307, { location: realLeader }).end(),
    ],
  ])('%s: it gets nothing that clients send, and cannot answer them', async (_, behave) => {
    const requests: IncomingMessage[] = [];
    const respond = behave(leader!.address);
    const stranger = await listen((request, response) => {
      requests.push(request);
      respond(request, response);
    });
    leader!.address = `http://127.0.0.1:${portOf(stranger)}`;
    const asked = open()
      .begin('POST', '/asked', { ...SECRETS, 'content-length': 6 })
      .write('secret');
    expect(await asked.untilResponses()).toMatch(/^HTTP\/1\.1 503 [^]*no_leader/);
    expect(asked.text).not.toContain('evil');
    expect(requests.map(({ url, headers }) => [url, Object.keys(headers).toSorted()])).toEqual([
      [expect.stringMatching(/^\/proof\?nonce=[0-9a-f]{64}$/), ['connection', 'host']],
    ]);
    expect(received).toEqual([]);
  });

  it('is found out at each connection: a proof of the leader does not outlive it', async () => {
    let realPort = 0;
    let stolen = '';
    const front = createTcpServer((client) => {
      client.on('error', () => undefined);
      if (realPort === 0) client.on('data', (chunk: Buffer) => (stolen += chunk.toString()));
      else client.pipe(connect(realPort, '127.0.0.1')).pipe(client);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    closers.push(() => front.close());
    leader!.address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    realPort = Number(new URL(await startLeader('127.0.0.1', leader!.address)).port);
    await open().begin('GET', '/asked', SECRETS).untilResponses();
    expect(received.length).toBe(1);
    // The leader dies, and somebody else listens at its address.
    realPort = 0;
    open().begin('GET', '/asked', SECRETS);
    await until('it is asked', () => stolen.includes(PROOF_PATH));
    expect(stolen).not.toContain('secret');
  });

  it('is an earlier leader, whose epoch is over', async () => {
    leader!.epoch = EPOCH + 1;
    expect(await open().begin('GET', '/asked').untilResponses()).toContain('no_leader');
    expect(received).toEqual([]);
  });
});
