import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { currentResponse } from './malformed-request';

/**
 * Ignores requests to upgrade to another protocol (RFC 9110, 7.8); some clients request `h2c` every time. Because
 * socket.io listens for upgrades, Node emits all of them as bare sockets, so the request is put back without its
 * `Upgrade` header and parsed again, once those before it on its connection are answered.
 * @param except path prefix of the upgrades that socket.io handles
 */
export function ignoreUpgrades(server: Server, except: string): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    if (request.url!.startsWith(except)) return;
    const parseAgain = () => {
      const previous = currentResponse(socket);
      // The next pipelined response is assigned the socket by an earlier listener.
      if (previous !== null && !previous.writableFinished) {
        previous.once('finish', parseAgain);
        return;
      }
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
      server.emit('connection', socket);
      socket.resume();
    };
    parseAgain();
  });
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  // Node decodes headers as latin1.
  return Buffer.from(`${head}\r\n`, 'latin1');
}
