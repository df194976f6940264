import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemDetails } from './describe-problem';

const ERRORS: Record<string, [status: number, code: string, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are larger than 16 KiB.'],
};

/** Responses that are still being sent; the error response follows them. */
const precedingResponses = new WeakSet<ServerResponse>();

/**
 * Responds to input that is not valid HTTP, which Node's parser rejects before there is a request. Earlier
 * requests of the connection are answered first (RFC 9112, 9.3.2).
 */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const current = currentResponse(socket);
  // If the current request is incomplete, it is the malformed one.
  if (current?.req.complete) {
    // The parser reports an error for every chunk that follows.
    if (!precedingResponses.has(current)) current.once('close', () => answerMalformed(error, socket));
    precedingResponses.add(current);
    return;
  }
  if (socket.writable && !current?.headersSent) socket.write(errorResponse(error));
  socket.destroy(error);
}

/** The response that is being sent on a connection, in the property that Node's own error handler uses. */
function currentResponse(socket: Socket): ServerResponse | null {
  return (Reflect.get(socket, '_httpMessage') as ServerResponse | null | undefined) ?? null;
}

function errorResponse({ code: parserCode = '' }: NodeJS.ErrnoException): string {
  const [status, code, detail] = ERRORS[parserCode] ?? [
    400,
    'invalid_request',
    'This is not a valid HTTP request.',
  ];
  const body = JSON.stringify(problemDetails(status, code, detail));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
