import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { KeepAliveConnection } from './keep-alive-connection';
import type { AttemptError } from '../../../contract/delivery';

/** A status line, at the begin of a response or after an interim one. */
const STATUS_LINE = /(?<=^|\r\n\r\n)HTTP\/1\.[01] ([2-5]\d\d)[ \r\n]/;

/** The types of records of TLS, followed by the first byte of their version (RFC 8446, 5.1). */
const isTlsRecord = ([type = 0, version]: Uint8Array) => type >= 0x14 && type <= 0x17 && version === 0x03;

/** What a target answered that undici's parser rejects. */
interface InvalidResponse {
  /** The one that can be read all the same: it decides, as with a body that is cut off. */
  status: number | null;
  error: AttemptError;
  /** Why it is rejected, and its begin. */
  answer: Buffer;
}

/**
 * @param failure undici's
 * @param received the bytes that it rejects
 * @returns null if it failed otherwise
 */
function readInvalidResponse(failure: unknown, received: Buffer | null): InvalidResponse | null {
  const { name, message, code } = failure as Error & { code?: string };
  const isInvalid =
    name === 'HTTPParserError' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    (code === 'UND_ERR_SOCKET' && message.startsWith('bad '));
  if (!isInvalid || received === null) return null;
  const [, status = null] = STATUS_LINE.exec(received.toString('latin1')) ?? [];
  return {
    status: status === null ? null : Number(status),
    error: isTlsRecord(received) ? 'tls_expected' : 'response_invalid',
    answer: Buffer.concat([Buffer.from(`${message}: `), received]),
  };
}

/** Beyond these limits the body is not read to its end, and its connection is closed. */
const MAX_READ_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 1_000;

export type ExchangeResult =
  | { status: number; retryAfter: string | null; bodyStart: Buffer }
  /** Without a response. `isUnanswered`: not even a part of one followed on a connection that was used before. */
  | {
      status: null;
      failure: unknown;
      timedOut: boolean;
      isUnanswered: boolean;
      invalid: InvalidResponse | null;
    };

interface ExchangeLimits {
  /** Until the headers of the response. */
  timeoutMs: number;
  /** How much of the body is returned, in bytes. */
  bodyBytes: number;
}

/**
 * One request and its response. Once there is a status, it alone decides, even if the body is slow, endless or cut
 * off. Implements undici's dispatch interface: its promises and streams take a sixth more CPU per request.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private retryAfter: string | null = null;
  private readonly chunks: Buffer[] = [];
  private readBytes = 0;
  private timer: NodeJS.Timeout;
  private isReused = false;
  private hasBegun = false;
  private isOver = false;

  private constructor(
    private readonly connection: KeepAliveConnection,
    private readonly limits: ExchangeLimits,
    private readonly resolve: (result: ExchangeResult) => void,
  ) {
    this.timer = setTimeout(() => this.fail(null, { timedOut: true }), limits.timeoutMs);
  }

  static run(
    connection: KeepAliveConnection,
    request: Dispatcher.DispatchOptions,
    limits: ExchangeLimits,
  ): Promise<ExchangeResult> {
    return new Promise((resolve) => {
      connection.dispatch(request, new HttpExchange(connection, limits, resolve));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.isReused = this.connection.use();
    if (this.isOver) controller.abort(new Error('the request timed out before it was sent'));
  }

  onResponseStarted(): void {
    this.hasBegun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Informational: the response follows.
    if (status < 200) return;
    this.status = status;
    this.connection.onHeader();
    const { 'retry-after': retryAfter } = headers;
    this.retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.endWithResponse(status), READ_TIMEOUT_MS);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.readBytes < this.limits.bodyBytes) this.chunks.push(chunk);
    this.readBytes += chunk.length;
    if (this.readBytes > MAX_READ_BYTES && this.status !== null) this.endWithResponse(this.status);
  }

  onResponseEnd(): void {
    this.connection.onEnd();
    if (this.status !== null) this.endWithResponse(this.status, { isComplete: true });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, failure: Error): void {
    if (this.status === null) this.fail(failure, { timedOut: false });
    else this.endWithResponse(this.status);
  }

  private fail(failure: unknown, { timedOut }: { timedOut: boolean }): void {
    const invalid = timedOut ? null : readInvalidResponse(failure, this.connection.received);
    if (invalid !== null && invalid.status !== null) {
      this.chunks.push(invalid.answer);
      this.endWithResponse(invalid.status);
    } else
      this.end({ status: null, failure, timedOut, isUnanswered: this.isReused && !this.hasBegun, invalid });
  }

  private endWithResponse(status: number, { isComplete = false } = {}): void {
    const bodyStart = Buffer.concat(this.chunks).subarray(0, this.limits.bodyBytes);
    this.end({ status, retryAfter: this.retryAfter, bodyStart }, { isComplete });
  }

  private end(result: ExchangeResult, { isComplete = false } = {}): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.resolve(result);
    if (!isComplete) this.controller?.abort(new Error('nothing more is needed of the response'));
  }
}
