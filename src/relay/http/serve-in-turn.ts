import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { checkHead } from './check-head';
import { closeIfUnread } from './close-in-stages';
import { interceptRequests } from './intercept-requests';
import type { ParsedSocket } from './malformed-request';
import { REJECTIONS, reportRejected, type AnsweredReason } from './rejected-request';
import { writeProblem } from './send-problem';

/**
 * Pipelined requests of a connection that wait for the response to the previous one (RFC 9112, 9.3.2). Hardly any
 * client sends them, and each costs as much as one that is waited for.
 */
const MAX_PENDING_REQUESTS = 2;

/** The return value that makes the parser stop at the headers, as after an upgrade. */
const STOP_PARSING = 2;

/**
 * Serves the requests of a connection one after the other. Node would start all of them at once: up to two thousand
 * in a chunk of 64 KiB, and if the client disconnects, resources opened for those that wait would never be closed. A
 * connection with too many pending requests is closed. Call this after all request listeners have been added.
 */
export function serveInTurn(server: Server): void {
  const pendingCounts = new WeakMap<Socket, number>();

  const afterPrevious = (request: IncomingMessage, response: ServerResponse, serve: () => void) => {
    // A pipelined response is assigned the socket once the previous response has been sent.
    if (response.socket !== null) return serve();
    const { socket, url } = request;
    const count = (pendingCounts.get(socket) ?? 0) + 1;
    if (count > MAX_PENDING_REQUESTS) {
      reportRejected(server, { url: url!, reason: 'pipelined' });
      return destroy(socket);
    }
    pendingCounts.set(socket, count);
    const onClose = () => reportRejected(server, { url: url!, reason: 'aborted' });
    request.once('close', onClose);
    response.once('socket', () => {
      request.off('close', onClose);
      pendingCounts.set(socket, pendingCounts.get(socket)! - 1);
      // The socket is usable only after this event.
      process.nextTick(serve);
    });
  };

  const reject = (request: IncomingMessage, response: ServerResponse, reason: AnsweredReason) => {
    reportRejected(server, { url: request.url!, reason });
    closeIfUnread(request, response);
    writeProblem(response, REJECTIONS[reason], { connection: 'close' });
  };

  interceptRequests(server, (request, response, next) =>
    afterPrevious(request, response, () => {
      const fault = checkHead(request);
      if (fault !== null) return reject(request, response, fault);
      if (ignoresBody(request)) closeIfUnread(request, response);
      next();
    }),
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    afterPrevious(request, response, () => reject(request, response, 'expectation_failed')),
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
