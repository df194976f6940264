import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Pool, type Dispatcher } from 'undici';
import type { AttemptError } from '../../contract/delivery';
import type { AddressGuard } from '../targets/address-guard';
import { statusAmong } from '../targets/status-among';
import type { TargetRecord } from '../targets/target-record';
import { nameNetworkError } from './name-network-error';

/** What of an answer is kept, and how much of it is read before the connection is dropped instead. */
const EXCERPT_BYTES = 1_024;
const READ_BYTES = 64 * 1024;

/** An answer with more in its headers is none. */
const HEADERS_BYTES = 64 * 1024;

export interface AttemptOutcome {
  /** The answer's status, or null without an answer. */
  status: number | null;
  /** Null on success. */
  error: AttemptError | null;
  durationMs: number;
  excerpt: string | null;
  /** The value of `Retry-After` of an answer that is no success. */
  retryAfter: string | null;
}

/** What of a target its connections depend on. */
type Sending = Pick<TargetRecord, 'url' | 'tls' | 'policy'>;

/** The connections to one target: kept alive, guarded, closed with it. */
export class TargetSender {
  private readonly url: URL;
  private readonly pool: Pool;
  private readonly authorization: string | null;
  private readonly isSuccess: (status: number) => boolean;

  constructor(
    private readonly target: Sending,
    private readonly guard: AddressGuard,
  ) {
    const { tls, policy } = target;
    const timeout = policy.timeout_ms;
    this.url = new URL(target.url);
    this.authorization = basicAuthorization(this.url);
    this.isSuccess = statusAmong(policy.success);
    this.pool = new Pool(this.url.origin, {
      connections: policy.concurrency,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxHeaderSize: HEADERS_BYTES,
      connect: {
        timeout,
        lookup: guard.lookupFor(this.url),
        ...(tls !== null && {
          rejectUnauthorized: tls.verify,
          ...(tls.ca !== null && { ca: tls.ca }),
          ...(tls.cert !== null && { cert: tls.cert }),
          ...(tls.key !== null && { key: tls.key }),
        }),
      },
    });
  }

  /** Whether these connections are right for the target as it is now; where not, they are to be made anew. */
  fits({ url, tls, policy }: Sending): boolean {
    return (
      url === this.target.url &&
      policy.timeout_ms === this.target.policy.timeout_ms &&
      policy.concurrency === this.target.policy.concurrency &&
      isDeepStrictEqual(policy.success, this.target.policy.success) &&
      isDeepStrictEqual(tls, this.target.tls)
    );
  }

  /**
   * One try. Whatever the target or the network does is an outcome; redirects are not followed.
   * @returns null when `close` cut it short: then nothing is known of it
   */
  async send(headers: Record<string, string>, body: Uint8Array): Promise<AttemptOutcome | null> {
    const started = performance.now();
    const outcome = (
      status: number | null,
      error: AttemptError | null,
      { excerpt = null, retryAfter = null }: Partial<AttemptOutcome> = {},
    ): AttemptOutcome => ({
      status,
      error,
      durationMs: Math.round(performance.now() - started),
      excerpt,
      retryAfter,
    });
    const refusal = this.guard.literalRefusal(this.url);
    if (refusal !== null) return outcome(null, nameNetworkError({ code: refusal }));

    // undici takes any emitter for a signal; an AbortController for each attempt costs a fifth more.
    const signal = new EventEmitter();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      signal.emit('abort');
    }, this.target.policy.timeout_ms);
    let status: number | null = null;
    let retryAfter: string | null = null;
    try {
      const path = this.url.pathname + this.url.search;
      const answer = await this.pool.request({
        path,
        method: 'POST',
        headers: this.withCredentials(headers),
        body,
        signal,
      });
      status = answer.statusCode;
      const success = this.isSuccess(status);
      if (!success) retryAfter = oneValue(answer.headers['retry-after']);
      const excerpt = await readExcerpt(answer.body);
      return outcome(status, success ? null : 'http_status', { excerpt, retryAfter });
    } catch (error) {
      if (timedOut) return outcome(status, 'timeout', { retryAfter });
      if (this.pool.destroyed || this.pool.closed) return null;
      return outcome(status, nameNetworkError(error), { retryAfter });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }

  /** What the operator gave as a header goes before what the address holds. */
  private withCredentials(headers: Record<string, string>): Record<string, string> {
    if (this.authorization === null || headers['authorization'] !== undefined) return headers;
    return { ...headers, authorization: this.authorization };
  }
}

function basicAuthorization({ username, password }: URL): string | null {
  if (username === '') return null;
  const credentials = `${unescaped(username)}:${unescaped(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** A lone percent sign is no escape and stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const oneValue = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null);

/** The beginning of an answer as text. A longer answer than we care to read costs the target its connection, not us. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < EXCERPT_BYTES) kept.push(chunk);
    read += chunk.length;
    if (read > READ_BYTES) break;
  }
  if (read === 0) return null;
  return Buffer.concat(kept).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');
}
