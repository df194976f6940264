import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import type { ListenDelivery, ListenResult } from '../../../contract/listen';
import { isOtherMachine, lookupLocal } from './local-addresses';

/** Without its identification: `status`, or `error` if there was no response. */
export type Outcome = Pick<ListenResult, 'status' | 'error' | 'duration_ms' | 'excerpt' | 'retry_after'> & {
  /** Why no connection could be opened. */ reason?: string;
};

const EXCERPT_BYTES = 1_024;
/** A result must stay below 2 KiB, also where characters are escaped. */
const EXCERPT_JSON_BYTES = 1_500;
/** Beyond these limits the body is not read to its end. */
const MAX_READ_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 1_000;
const PROBE_TIMEOUT_MS = 5_000;

/** What the hub must not choose: whom a request is from or for, and headers of the connection (RFC 9110, 7.6.1). */
const NOT_PASSED =
  /^(host|authorization|cookie|forwarded|x-forwarded-.*|proxy-.*|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect)$/i;

interface ReceiverOptions {
  /** Whether it may be on another machine. */
  allowExternal: boolean;
  /** Whether the hub is shown the beginning of a response. */
  hasExcerpt: boolean;
}

/** The address to which a listener forwards its deliveries: each on a connection of its own, without redirects. */
export class LocalReceiver {
  constructor(
    readonly url: URL,
    private readonly options: ReceiverOptions,
  ) {}

  private get host(): string {
    return this.url.hostname.replaceAll(/[[\]]/g, '');
  }

  /** Whether it is an IP address of another machine. */
  get isDenied(): boolean {
    return !this.options.allowExternal && isOtherMachine(this.host);
  }

  private get lookup() {
    return this.options.allowExternal ? {} : { lookup: lookupLocal };
  }

  /** Opens a connection and closes it. @returns why that failed; null if it did not */
  probe(): Promise<string | null> {
    const port = Number(this.url.port) || (this.url.protocol === 'https:' ? 443 : 80);
    return new Promise((resolve) => {
      const socket = connect({ host: this.host, port, ...this.lookup });
      const end = (reason: string | null) => {
        socket.destroy();
        resolve(reason);
      };
      socket.setTimeout(PROBE_TIMEOUT_MS, () => end('ETIMEDOUT'));
      socket.once('connect', () => end(null));
      socket.once('error', (error) => end(codeOf(error)));
    });
  }

  /** Posts one delivery. */
  forward({ headers, body, timeout_ms: timeoutMs }: ListenDelivery): Promise<Outcome> {
    const startedAt = performance.now();
    const duration = () => Math.round(performance.now() - startedAt);
    const passed = Object.entries(headers).filter(([name]) => !NOT_PASSED.test(name));
    return new Promise((resolve) => {
      const send = this.url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(this.url, {
        method: 'POST',
        agent: false,
        headers: { ...Object.fromEntries(passed), 'content-length': body.byteLength },
        ...this.lookup,
      });
      const isConnected = watchConnection(request, this.url.protocol);
      const timer = setTimeout(() => {
        resolve({ error: 'timeout', duration_ms: duration() });
        request.destroy();
      }, timeoutMs);
      request.on('error', (error) => {
        clearTimeout(timer);
        const code = codeOf(error);
        const outcome = isConnected()
          ? { error: code.startsWith('HPE_') ? ('response_invalid' as const) : ('connection_reset' as const) }
          : { error: 'not_connected' as const, reason: code };
        resolve({ ...outcome, duration_ms: duration() });
      });
      request.once('response', (response) => {
        clearTimeout(timer);
        const common = { status: response.statusCode!, duration_ms: duration() };
        void readStart(response).then((start) => resolve({ ...common, ...this.describe(response, start) }));
      });
      request.end(body);
    });
  }

  private describe({ headers }: IncomingMessage, start: Buffer): Partial<Outcome> {
    const { 'retry-after': retryAfter } = headers;
    let excerpt = this.options.hasExcerpt ? start.toString('utf8') : '';
    while (Buffer.byteLength(JSON.stringify(excerpt)) > EXCERPT_JSON_BYTES)
      excerpt = excerpt.slice(0, Math.floor(excerpt.length * 0.8));
    return {
      ...(excerpt !== '' && { excerpt }),
      ...(retryAfter !== undefined && { retry_after: retryAfter.slice(0, 100) }),
    };
  }
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

/** @returns whether the connection is open, with TLS if it has that: only then the receiver can have seen anything */
function watchConnection(request: ClientRequest, protocol: string): () => boolean {
  let isConnected = false;
  request.once('socket', (socket) =>
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => (isConnected = true)),
  );
  return () => isConnected;
}

/** The beginning of a body. One that is long, slow or cut off changes nothing: the status alone decides. */
function readStart(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES));
      response.destroy();
    };
    const timer = setTimeout(end, READ_TIMEOUT_MS);
    response.on('data', (chunk: Buffer) => {
      if (bytes < EXCERPT_BYTES) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_READ_BYTES) end();
    });
    response.once('end', end);
    response.on('error', end);
  });
}
