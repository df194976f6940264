import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers a request that asks to go on in another protocol as if it had not asked, which is what HTTP wants where that is
 * not offered (RFC 9110, 7.8): some clients ask for `h2c` with every request. Since socket.io listens for upgrades, Node
 * hands all of them over as bare sockets instead; so the request is put back before the rest of its bytes, without the
 * header that asks, and the server reads it anew.
 * @param offeredBelow where upgrades are somebody else's
 */
export function ignoreUpgrades(server: Server, offeredBelow: string): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    if (request.url!.startsWith(offeredBelow)) return;
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
    server.emit('connection', socket);
    socket.resume();
  });
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  // As Node read it: a byte for each character.
  return Buffer.from(`${head}\r\n`, 'latin1');
}
