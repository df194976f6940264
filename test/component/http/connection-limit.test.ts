import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { FixedClock } from '../../support/clock';
import { ConnectionFront } from '../../../src/relay/several-daemons/connection-front';
import { ConnectionLimit } from '../../../src/relay/http/connection-limit';
import { closeInStages } from '../../../src/relay/http/close-in-stages';
import { RawConnection } from '../../support/raw-connection';
import { until } from '../../support/until';

/** More than the kernel buffers for a client that does not read. */
const LARGE_BYTES = 64 * 1024 * 1024;

const UNANSWERED = ['/slow', '/first'];

let server: Server;
let limit: ConnectionLimit;
let logged: string[];
const opened: RawConnection[] = [];

/** A server with connection limits that never answers some of the paths. */
async function start(limits: { total: number; perNetwork: number }, isShared: boolean): Promise<void> {
  // Of this server: that of the previous test may still log.
  const lines: string[] = [];
  logged = lines;
  server = createServer((request, response) => {
    if (request.url === '/ended') closeInStages(request);
    if (request.url === '/large') response.write(Buffer.alloc(LARGE_BYTES));
    else if (request.url === '/body') request.resume().on('end', () => response.end('answered'));
    else if (!UNANSWERED.includes(request.url!)) response.end('answered');
  });
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  limit = new ConnectionLimit({
    isShared: () => isShared,
    clock: new FixedClock(),
    hasPriority: ({ url }) => url === '/first',
    log,
    limits,
  });
  limit.attach(server);
  const [started, itsLimit] = [server, limit];
  server.on('close', () => itsLimit.closeUnused(started));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
  server.close();
});

/** Opens connections one after the other. */
async function open(count: number): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let i = 0; i < count; i += 1) {
    const arrived = once(server, 'connection');
    const connection = new RawConnection((server.address() as AddressInfo).port);
    opened.push(connection);
    connections.push(connection);
    await arrived;
  }
  return connections;
}

/** Opens a connection for each of these paths, and requests it. */
const keepBusy = async (paths: string[]) => {
  const busy = await open(paths.length);
  for (const [i, connection] of busy.entries()) {
    const asked = once(server, 'request');
    connection.begin('GET', paths[i]!);
    await asked;
  }
  return busy;
};

const countOpen = () =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
const ask = (connection: RawConnection, path = '/') => connection.begin('GET', path).untilResponses();
const ended = (connections: RawConnection[]) => connections.map(({ isEnded }) => isEnded);

describe.each([
  ['in all', { total: 3, perNetwork: 99 }, true],
  ['of one network', { total: 99, perNetwork: 3 }, false],
])('connections beyond the limit %s', (_, limits, isShared) => {
  beforeEach(() => start(limits, isShared));

  it('close the oldest connection without a request, and are served', async () => {
    const [used, oldest, ...others] = await open(3);
    await ask(used!);
    const [newest] = await open(1);
    await oldest!.untilEnded();
    await ask(newest!);
    await ask(used!);
    expect(ended([used!, ...others, newest!])).toEqual([false, false, false]);
    expect(logged.join('')).toContain('too many connections');
  });

  it("first close those that are closing from our side, but not from the client's", async () => {
    const [unused, closing, used] = await open(3);
    await ask(used!);
    closing!.begin('POST', '/ended', { connection: 'close', 'content-length': 10 });
    await closing!.untilEnded();
    const [newest] = await open(1);
    await ask(newest!);
    expect(ended([unused!, used!])).toEqual([false, false]);
  });

  it('close idle keep-alive connections if there are no others', async () => {
    const [busy, ...idle] = await open(3);
    busy!.begin('GET', '/slow');
    for (const connection of idle) await ask(connection);
    const [newest] = await open(1);
    await ask(newest!);
    for (const connection of idle) await connection.untilEnded();
    expect(busy!.isEnded).toBe(false);
  });

  it.each([
    [
      'send a body',
      (one: RawConnection) => one.begin('POST', '/body', { 'content-length': 10 }).write('half'),
    ],
    ['read a response', (one: RawConnection) => one.stopReading().begin('GET', '/large')],
  ])(
    'close the oldest of those that wait for their client to %s, if there are no others',
    async (_what, hold) => {
      const held = await open(3);
      for (const connection of held) {
        const asked = once(server, 'request');
        hold(connection);
        await asked;
      }
      const [newest] = await open(1);
      await ask(newest!);
      expect(await countOpen()).toBe(3);
    },
  );

  it('do not close a new connection if others have waited longer for their client', async () => {
    const held = await open(2);
    for (const connection of held) {
      const asked = once(server, 'request');
      connection.begin('POST', '/body', { 'content-length': 10 });
      await asked;
    }
    const [young] = await open(1);
    const [newest] = await open(1);
    await held[0]!.untilEnded();
    await ask(young!);
    await ask(newest!);
    expect(held[1]!.isEnded).toBe(false);
  });

  it('close the oldest one with a pending response if there are no others', async () => {
    const [first, oldest, other] = await keepBusy(['/first', '/slow', '/slow']);
    const [newest] = await open(1);
    await oldest!.untilEnded();
    await ask(newest!);
    expect(ended([first!, other!])).toEqual([false, false]);
  });

  it('are closed themselves if all others have priority', async () => {
    const busy = await keepBusy(['/first', '/first', '/first']);
    await Promise.all((await open(1)).map((connection) => connection.untilEnded()));
    expect(ended(busy)).toEqual([false, false, false]);
  });

  it('are logged at most once a second', async () => {
    await open(40);
    expect(logged.length).toBeLessThan(10);
  });

  it('are accepted again once some are closed', async () => {
    for (const connection of await open(3)) connection.close();
    await until('they are gone', async () => (await countOpen()) === 0);
    const again = await open(3);
    for (const connection of again) await ask(connection);
    expect(logged).toEqual([]);
  });
});

it('are limited only in total behind a proxy or gateway', async () => {
  await start({ total: 99, perNetwork: 3 }, true);
  const connections = await open(10);
  for (const connection of connections) await ask(connection);
  expect(logged).toEqual([]);
});

it('are counted together while one server takes the place of another', async () => {
  await start({ total: 3, perNetwork: 99 }, true);
  const front = new ConnectionFront(server);
  const { port } = await front.listen({ port: 0, host: '127.0.0.1' });
  const connections = Array.from({ length: 3 }, () => new RawConnection(port));
  opened.push(...connections);
  for (const connection of connections) await ask(connection);
  const next = createServer((_, response) => response.end('answered'));
  limit.attach(next);
  next.emit('listening');
  front.use(next);
  const newest = new RawConnection(port);
  opened.push(newest);
  await ask(newest);
  await until('a former connection is closed', () => connections.some(({ isEnded }) => isEnded));
  expect(logged.join('')).toContain('too many connections');
  front.server.close();
  next.close();
});

it('are closed unread if a network opens them too fast, but not from one that is trusted', async () => {
  await start({ total: 9_999, perNetwork: 9_999 }, false);
  const connections = await open(501);
  await connections.at(-1)!.untilEnded();
  expect(logged.join('')).toContain('too many new connections');
  await ask(connections[0]!);
  server.prependOnceListener('request', ({ socket }) => limit.trust(socket));
  await ask(connections[1]!);
  for (const connection of await open(20)) await ask(connection);
});
