import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { LargeBodies } from '../../../src/relay/intake/large-bodies';
import { closeInStages } from '../../../src/relay/http/close-in-stages';
import { until } from '../../support/until';

const KIB = 1_024;
const MIB = 1_024 * KIB;
const PIECE = 64 * KIB;
/** The limit per turn of the event loop; the first turn also reads one piece of each body. */
const MAX_BYTES_PER_TURN = 256 * KIB;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A request whose whole body has already arrived. */
function request(size: number, headers = { 'content-length': String(size) }): IncomingMessage {
  const pieces = Array.from({ length: size / PIECE }, () => Buffer.alloc(PIECE));
  return Object.assign(Readable.from(pieces, { objectMode: true }), {
    headers,
  }) as unknown as IncomingMessage;
}

/** The bytes read in each turn of the event loop, until all are read. */
async function readInTurns(bodies: LargeBodies, requests: IncomingMessage[]): Promise<number[]> {
  let read = 0;
  let ended = 0;
  for (const one of requests) {
    bodies.pace(one);
    one.on('data', (piece: Buffer) => (read += piece.byteLength));
    one.on('end', () => (ended += 1));
  }
  const turns: number[] = [];
  for (let before = 0; ended < requests.length; before = read) {
    await nextTurn();
    turns.push(read - before);
  }
  return turns;
}

describe('large bodies', () => {
  it.each([
    ['with a content-length', undefined],
    ['without a content-length', {} as { 'content-length': string }],
  ])('are read in small pieces, even if many arrive concurrently: %s', async (_, headers) => {
    const many = Array.from({ length: 48 }, () => request(MIB, headers));
    const turns = await readInTurns(new LargeBodies(), many);
    expect(turns.reduce((sum, bytes) => sum + bytes, 0)).toBe(48 * MIB);
    expect(turns[0]).toBeLessThanOrEqual(MAX_BYTES_PER_TURN + 48 * PIECE);
    expect(Math.max(...turns.slice(1))).toBeLessThanOrEqual(MAX_BYTES_PER_TURN);
  });

  it('do not delay small ones', async () => {
    const bodies = new LargeBodies();
    const large = readInTurns(
      bodies,
      Array.from({ length: 48 }, () => request(MIB)),
    );
    await nextTurn();
    await nextTurn();
    expect((await readInTurns(bodies, [request(PIECE)])).length).toBeLessThanOrEqual(2);
    expect((await large).length).toBeGreaterThan(30);
  });

  it('are discarded in small pieces once they are rejected', async () => {
    const sockets: Socket[] = [];
    const server = createServer((rejected, response) => {
      closeInStages(rejected);
      sockets.push(rejected.socket);
      response.writeHead(401, { connection: 'close' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 16 }, () =>
      connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
    );
    for (const client of clients) {
      client.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * MIB}\r\n\r\n`);
      client.resume().end(Buffer.alloc(2 * MIB));
    }
    await until('all are rejected', () => sockets.length === clients.length);
    const readSoFar = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await nextTurn();
    const turns: number[] = [];
    for (let before = readSoFar(); sockets.some(({ destroyed }) => !destroyed); before = readSoFar()) {
      await nextTurn();
      turns.push(readSoFar() - before);
    }
    // A paused socket still delivers data that was in transit.
    expect(Math.max(...turns)).toBeLessThanOrEqual(2 * MAX_BYTES_PER_TURN);
    expect(readSoFar()).toBeGreaterThan(16 * 2 * MIB);
    server.close();
  });

  it('are hashed in small pieces, one body after the other', async () => {
    const bodies = new LargeBodies();
    const many = Array.from({ length: 8 }, (_, i) => Buffer.alloc(4 * MIB + i, i));
    let hashed = 0;
    const hashes = Promise.all(
      many.map(async (body) => {
        const hash = await bodies.hmac(body, 'secret');
        hashed += 1;
        return hash;
      }),
    );
    let turns = 0;
    for (; hashed < many.length; turns += 1) await nextTurn();
    expect(turns).toBeGreaterThanOrEqual(64);
    expect(await hashes).toEqual(
      many.map((body) => createHmac('sha256', 'secret').update(body).digest('hex')),
    );
  });

  it('are not read further while too many wait to be hashed', async () => {
    const bodies = new LargeBodies();
    const hashes = Array.from({ length: 8 }, () => bodies.hmac(Buffer.alloc(8 * MIB), 'secret'));
    const reading = readInTurns(
      bodies,
      Array.from({ length: 4 }, () => request(MIB)),
    );
    let hashed = 0;
    for (const hash of hashes) void hash.then(() => (hashed += 1));
    const turns = await reading;
    expect(hashed).toBeGreaterThanOrEqual(6);
    expect(turns.filter((bytes) => bytes === 0).length).toBeGreaterThan(50);
    await Promise.all(hashes);
  });
});
