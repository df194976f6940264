import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeIfUnread } from './close-in-stages';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Pipelined requests of a connection that wait for the response to the previous one (RFC 9112, 9.3.2). */
const MAX_PENDING_REQUESTS = 16;

/** A socket with its HTTP parser, which Node attaches. */
interface ParsedSocket {
  parser?: { onIncoming: () => number } | null;
}

/** The return value that makes the parser stop at the headers, as after an upgrade. */
const STOP_PARSING = 2;

/**
 * Serves the requests of a connection one after the other. Node would start all of them at once: up to two
 * thousand in a chunk of 64 KiB, and if the client disconnects, resources opened for those that wait would
 * never be closed. A connection with too many pending requests is closed. Call this after all request
 * listeners have been added.
 */
export function serveInTurn(server: Server): void {
  const listeners = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  const pendingCounts = new WeakMap<Socket, number>();

  const afterPrevious = (serve: Listener) => (request: IncomingMessage, response: ServerResponse) => {
    // A pipelined response is assigned the socket once the previous response has been sent.
    if (response.socket !== null) return serve(request, response);
    const { socket } = request;
    const count = (pendingCounts.get(socket) ?? 0) + 1;
    if (count > MAX_PENDING_REQUESTS) return destroy(socket);
    pendingCounts.set(socket, count);
    response.once('socket', () => {
      pendingCounts.set(socket, pendingCounts.get(socket)! - 1);
      // The socket is usable only after this event.
      process.nextTick(serve, request, response);
    });
  };

  server.on(
    'request',
    afterPrevious((request, response) => {
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        return sendError(response, 400);
      if (ignoresBody(request)) closeIfUnread(request, response);
      for (const listener of listeners) listener.call(server, request, response);
    }),
  );
  server.on(
    'checkExpectation',
    afterPrevious((_request, response) => sendError(response, 417)),
  );
}

/** Also stops the parser: the rest of the current chunk could take it about 30 ms. */
function destroy(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as ParsedSocket;
  if (parser) parser.onIncoming = () => STOP_PARSING;
}

/** A body in GET or HEAD has no defined meaning (RFC 9110, 9.3.1). */
const ignoresBody = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

function sendError(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}
