import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;

/** Whether a request has a body that is not here yet. */
export function isBodyComing({ headers, complete }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/** Takes a connection from the HTTP parser: no other request is read from it. */
export function dropWhatComes(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.resume();
}

/**
 * Has a connection that Node ends after the next answer closed in stages (RFC 9112, 9.6): our side first, and the whole once
 * the client has closed its own, or after 2 s. What it sends meanwhile is dropped unread. Closed at once, what it was still
 * sending would reset the connection, and the answer be lost to it.
 */
export function closeInStages(socket: Socket): void {
  socket.destroySoon = () => {
    dropWhatComes(socket);
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
