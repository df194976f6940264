import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { keepUntilAnswered } from '../../../src/relay/http/keep-until-answered';

const INACTIVE_MS = 50;
/** More than all buffers between server and client. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);

let respond: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  keepUntilAnswered(request, response);
  request.resume();
  respond(response);
});
server.setTimeout(INACTIVE_MS);

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

function send(request: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(request);
  return socket;
}

const GET = 'GET / HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n\r\n';

it('a request is answered, however long that takes', async () => {
  respond = (response) => setTimeout(() => response.end('at last'), 4 * INACTIVE_MS);
  expect(await text(send(GET))).toMatch(/at last$/);
});

it('a connection is closed whose client does not send the rest of a request', async () => {
  respond = () => undefined;
  expect(await text(send('POST / HTTP/1.1\r\nhost: hub\r\ncontent-length: 5\r\n\r\n{'))).toBe('');
});

it('a connection is closed whose client does not read the response', async () => {
  const closed = new Promise((resolve) => {
    respond = (response) => {
      response.socket!.on('close', resolve);
      response.end(LARGE);
    };
  });
  const socket = send(GET);
  await closed;
  socket.destroy();
});
