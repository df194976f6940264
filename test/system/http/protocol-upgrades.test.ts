import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Switchboard } from '../../support/daemon/switchboard';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import type { SignedNotification } from '../../support/signed-notification';

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const UPGRADE_HEADERS = `connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA`;

/** Sends the head of a notification whose sender offers to upgrade to HTTP/2. */
function sendHead(socket: Socket, { body, signature }: SignedNotification): void {
  socket.write(`POST ${switchboard.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n${UPGRADE_HEADERS}\r\n`);
  socket.write(`${SIGNATURE_HEADER}: ${signature}\r\n`);
  socket.write(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
}

describe('a request to upgrade to another protocol', () => {
  it.each([
    ['in one piece', 100, 1_000],
    ['in many pieces', 8_000_000, 100_000],
  ])('is handled as a normal notification, %s', async (_, size, pieceBytes) => {
    const notification = switchboard.sign('deal.created', { padding: 'x'.repeat(size) });
    const { body } = notification;
    const socket = connect(switchboard.port, '127.0.0.1');
    sendHead(socket, notification);
    for (let at = 0; at < body.length; at += pieceBytes) socket.write(body.subarray(at, at + pieceBytes));
    const response = String((await once(socket, 'data'))[0]);
    socket.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"status":"accepted"\}$/);
    const { id } = JSON.parse(response.slice(response.indexOf('{'))) as { id: string };
    expect((await switchboard.ask(`/events/${id}/body`)).body.equals(body)).toBe(true);
  });

  it('may be one of many on its connection, and leaves no listeners behind', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const socket = connect(switchboard.port, '127.0.0.1');
    // Node warns of a leak at more than 10 listeners for an event.
    for (let i = 0; i < 20; i += 1) {
      const notification = switchboard.sign('deal.created');
      sendHead(socket, notification);
      socket.write(notification.body);
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    socket.destroy();
    process.off('warning', warned);
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });

  it('may be sent before the response to the one before it', async () => {
    const socket = connect(switchboard.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    for (let i = 0; i < 3; i += 1) {
      const notification = switchboard.sign('deal.created');
      sendHead(socket, notification);
      socket.write(notification.body);
    }
    await until('all are answered', () => text.split('HTTP/1.1 200 OK').length === 5);
    expect(text.split('"status":"accepted"').length).toBe(4);
    socket.destroy();
  });

  it('is answered normally by the API as well', async () => {
    const [[, authorization]] = switchboard.bearer as [[string, string]];
    const socket = connect(switchboard.port, '127.0.0.1');
    socket.write(
      `GET /api/v1/connection HTTP/1.1\r\nhost: 127.0.0.1\r\n${UPGRADE_HEADERS}\r\nauthorization: ${authorization}\r\n\r\n`,
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
  });
});
