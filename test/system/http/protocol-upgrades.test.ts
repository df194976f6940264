import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { outsideGlobal } from '../../support/outside';
import { Switchboard } from '../../support/daemon/switchboard';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';

let board: Switchboard;

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(() => board.end());

const UPGRADES = `connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA`;

/** A notification whose sender would rather go on in HTTP/2. */
function begin(socket: Socket, body: Buffer): void {
  socket.write(`POST ${board.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n${UPGRADES}\r\n`);
  socket.write(`${SIGNATURE_HEADER}: ${board.upstream.sign(board.webhook, body)}\r\n`);
  socket.write(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
}

describe('a request that asks for another protocol', () => {
  it.each([
    ['in one piece', 100, 1_000],
    ['in many pieces', 8_000_000, 100_000],
  ])('is taken as the notification it is, %s', async (_, size, pieceBytes) => {
    const { body } = board.sign('deal.created', { padding: 'x'.repeat(size) });
    const socket = connect(board.port, '127.0.0.1');
    begin(socket, body);
    for (let at = 0; at < body.length; at += pieceBytes) socket.write(body.subarray(at, at + pieceBytes));
    const answer = String((await once(socket, 'data'))[0]);
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"status":"accepted"\}$/);
    const { id } = JSON.parse(answer.slice(answer.indexOf('{'))) as { id: string };
    expect((await board.ask(`/events/${id}/body`)).body.equals(body)).toBe(true);
  });

  it('may be one of many on its connection, and leaves nothing behind there', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    outsideGlobal.process.on('warning', warned);
    const socket = connect(board.port, '127.0.0.1');
    for (let i = 0; i < 20; i += 1) {
      const { body } = board.sign('deal.created');
      begin(socket, body);
      socket.write(body);
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    socket.destroy();
    outsideGlobal.process.off('warning', warned);
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });

  it('is answered by the API as well', async () => {
    const [[, authorization]] = board.bearer as [[string, string]];
    const socket = connect(board.port, '127.0.0.1');
    socket.write(
      `GET /api/v1/connection HTTP/1.1\r\nhost: 127.0.0.1\r\n${UPGRADES}\r\nauthorization: ${authorization}\r\n\r\n`,
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
  });
});
