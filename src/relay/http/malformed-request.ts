import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REJECTIONS, reportRejected, type AnsweredReason } from './rejected-request';

const REASONS: Record<string, AnsweredReason> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** What Node's parser reports, with the bytes that it failed on. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** A socket with its HTTP parser, which Node attaches, and the request that it parses. */
export interface ParsedSocket {
  parser?: { incoming: IncomingMessage | null; onIncoming: () => number } | null;
}

/** Responses that are still being sent; the error response follows them. */
const precedingResponses = new WeakSet<ServerResponse>();

/**
 * Responds to input that is not valid HTTP, which Node's parser rejects before there is a request. Earlier requests
 * of the connection are answered first (RFC 9112, 9.3.2).
 */
export function answerMalformed(server: Server, error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const current = currentResponse(socket);
  // If the current request is incomplete, it is the malformed one.
  if (current?.req.complete) {
    // The parser reports an error for every chunk that follows.
    if (!precedingResponses.has(current)) current.once('close', () => answerMalformed(server, error, socket));
    precedingResponses.add(current);
    return;
  }
  const reason = REASONS[error.code ?? ''] ?? 'malformed';
  // Whoever reads an incomplete body is told.
  if (!isReadingBody(socket)) reportRejected(server, { url: urlIn(error.rawPacket), reason });
  if (socket.writable && !current?.headersSent) socket.write(errorResponse(reason));
  socket.destroy(error);
}

const isReadingBody = (socket: Socket): boolean =>
  (socket as ParsedSocket).parser?.incoming?.complete === false;

/** The response that is being sent on a connection, in the property that Node's own error handler uses. */
export function currentResponse(socket: Socket): ServerResponse | null {
  return (Reflect.get(socket, '_httpMessage') as ServerResponse | null | undefined) ?? null;
}

/** The URL of the last request that begins in these bytes; null if none does. */
function urlIn(packet: Buffer | undefined): string | null {
  const starts = packet?.toString('latin1').matchAll(/(?:^|\n)[A-Z]{3,7} (\/[^ \r\n]{0,2000})/g) ?? [];
  return [...starts].at(-1)?.[1] ?? null;
}

function errorResponse(reason: AnsweredReason): string {
  const { status } = REJECTIONS[reason];
  const body = JSON.stringify(REJECTIONS[reason]);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
