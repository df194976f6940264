import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { frame } from './describe-problem';

const ANSWERS: Record<string, [status: number, code: string, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are larger than 16 KiB.'],
};

/** Responses after which something unreadable is answered. */
const awaited = new WeakSet<ServerResponse>();

/**
 * Answers what is no HTTP, which Node's parser refuses before there is a request. The requests before it on its connection
 * (RFC 9112, 9.3.2) are answered first.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const before = responseUnderWay(socket);
  // One that is not here whole is itself what cannot be read.
  if (before?.req.complete) {
    // The parser says it again of all that follows.
    if (!awaited.has(before)) before.once('close', () => answerUnreadable(error, socket));
    awaited.add(before);
    return;
  }
  if (socket.writable && !before?.headersSent) socket.write(answerTo(error));
  socket.destroy(error);
}

/** Of the responses on a connection the next to go out. Node keeps it there, and asks it as we do where nobody else answers. */
function responseUnderWay(socket: Socket): ServerResponse | null {
  return (Reflect.get(socket, '_httpMessage') as ServerResponse | null | undefined) ?? null;
}

function answerTo({ code: fault = '' }: NodeJS.ErrnoException): string {
  const [status, code, detail] = ANSWERS[fault] ?? [400, 'invalid_request', 'This is not an HTTP request.'];
  const body = JSON.stringify(frame(status, code, detail));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
