import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeIfUnread } from './close-in-stages';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** So many requests of a connection may wait for the answer to the one before them (RFC 9112, 9.3.2). */
const MOST_WAITING = 16;

/** What Node keeps of a connection that it reads requests from. */
interface Reading {
  parser?: { onIncoming: () => number } | null;
}

/** The answer that makes the parser leave what follows to somebody else, as after an upgrade. */
const LEAVE_THE_REST = 2;

/**
 * Serves the requests of a connection one after the other. Node begins with all of them at once: with the two thousand that a
 * piece of 64 KiB has room for, and where the client goes away, what was opened for those that waited stays open. A
 * connection with more requests waiting is ended. To be called once all that takes requests listens.
 */
export function serveInTurn(server: Server): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  const waiting = new WeakMap<Socket, number>();

  const take = (serve: Listener) => (request: IncomingMessage, response: ServerResponse) => {
    // One that waits gets the connection once the answer before it is out.
    if (response.socket !== null) return serve(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MOST_WAITING) return end(socket);
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      // The connection is handed over only after that.
      process.nextTick(serve, request, response);
    });
  };

  server.on(
    'request',
    take((request, response) => {
      if (request.headers.host === undefined && request.httpVersion === '1.1') return refuse(response, 400);
      if (takesNoBody(request)) closeIfUnread(request, response);
      for (const listener of others) listener.call(server, request, response);
    }),
  );
  server.on(
    'checkExpectation',
    take((_request, response) => refuse(response, 417)),
  );
}

/** At once: what is read but not parsed yet would take a thread some 30 ms. */
function end(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as Reading;
  if (parser) parser.onIncoming = () => LEAVE_THE_REST;
}

/** What it means there is not defined (RFC 9110, 9.3.1). */
const takesNoBody = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}
