import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps the connection of a request whose response takes long, such as a consistency check of many events: it is closed
 * as inactive only while the client is to send or to read.
 */
export function keepUntilAnswered(request: IncomingMessage, response: ServerResponse): void {
  response.on('timeout', (socket: Socket) => {
    if (!request.complete || response.headersSent) socket.destroy();
  });
}
