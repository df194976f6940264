import type { IncomingMessage, ServerResponse } from 'node:http';
import { PacedReading } from './paced-reading';

const LINGER_MS = 2_000;
const dropped = new PacedReading();

/** To be called ahead of an answer that does without the rest of the body: where there is any, it ends the connection. */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!isBodyComing(request)) return;
  response.setHeader('connection', 'close');
  closeInStages(request);
}

function isBodyComing({ headers, complete }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/**
 * Has the connection of a request whose answer comes ahead of its body closed in stages (RFC 9112, 9.6): our side first, and
 * the whole once the client has closed its own, or after 2 s. What comes meanwhile is dropped, a little at a time, and is not
 * parsed. Closed at once, what the client was still sending would reset the connection, and the answer be lost to it.
 */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request;
  // Where nobody reads the body, the parser has paused it; and once somebody else listens, the parser does no more.
  socket.resume();
  setImmediate(() => {
    socket.removeAllListeners('data');
    dropped.add(socket);
  });
  // What Node does when it has sent an answer with `connection: close`.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
