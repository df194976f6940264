import type { IncomingMessage, ServerResponse } from 'node:http';
import { PacedReading } from './paced-reading';

const LINGER_MS = 2_000;
const discarding = new PacedReading();

/** Call it before a response without having read the body: if there is more, the connection is closed afterwards. */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!hasUnreadBody(request)) return;
  response.setHeader('connection', 'close');
  closeInStages(request);
}

function hasUnreadBody({ headers, complete }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/**
 * Closes the connection of a request in stages after an early response (RFC 9112, 9.6): our side first, the rest once
 * the client has closed its side, or after 2 s. Data received meanwhile is discarded unparsed, a little at a time: if
 * the connection were closed at once, data being sent would reset it, and the client lose the response.
 */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request;
  // The parser pauses the socket if nobody reads the body, and stops parsing once its listener is removed.
  socket.resume();
  setImmediate(() => {
    socket.removeAllListeners('data');
    discarding.add(socket);
  });
  // Node calls this after a response with `connection: close`.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
