import { EventEmitter } from 'node:events';
import { Pool, type Dispatcher } from 'undici';
import type { AttemptError } from '../../contract/delivery';
import type { AddressGuard } from '../targets/address-guard';
import { nameNetworkError } from './name-network-error';

/** From the first byte of the connection to the last of the answer. */
const TOTAL_TIMEOUT_MS = 10_000;
export const TARGET_CONCURRENCY = 16;

/** What of an answer is kept, and how much of it is read before the connection is dropped instead. */
const EXCERPT_BYTES = 1_024;
const READ_BYTES = 64 * 1024;

export interface AttemptOutcome {
  /** The answer's status, or null without an answer. */
  status: number | null;
  /** Null on 2xx. */
  error: AttemptError | null;
  durationMs: number;
  excerpt: string | null;
}

/** The connections to one target's address: kept alive, guarded, closed with it. */
export class TargetSender {
  private readonly url: URL;
  private readonly pool: Pool;

  constructor(
    address: string,
    private readonly guard: AddressGuard,
  ) {
    this.url = new URL(address);
    this.pool = new Pool(this.url.origin, {
      connections: TARGET_CONCURRENCY,
      pipelining: 1,
      headersTimeout: TOTAL_TIMEOUT_MS,
      bodyTimeout: TOTAL_TIMEOUT_MS,
      connect: { timeout: TOTAL_TIMEOUT_MS, lookup: guard.lookupFor(this.url) },
    });
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
      excerpt: string | null,
    ): AttemptOutcome => ({
      status,
      error,
      durationMs: Math.round(performance.now() - started),
      excerpt,
    });
    const refusal = this.guard.literalRefusal(this.url);
    if (refusal !== null) return outcome(null, nameNetworkError({ code: refusal }), null);

    // undici takes any emitter for a signal; an AbortController for each attempt costs a fifth more.
    const signal = new EventEmitter();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      signal.emit('abort');
    }, TOTAL_TIMEOUT_MS);
    let status: number | null = null;
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
      const excerpt = await readExcerpt(answer.body);
      return outcome(status, status >= 200 && status < 300 ? null : 'http_status', excerpt);
    } catch (error) {
      if (timedOut) return outcome(status, 'timeout', null);
      if (this.pool.destroyed || this.pool.closed) return null;
      return outcome(status, nameNetworkError(error), null);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private withCredentials(headers: Record<string, string>): Record<string, string> {
    if (this.url.username === '') return headers;
    const credentials = `${decodeURIComponent(this.url.username)}:${decodeURIComponent(this.url.password)}`;
    return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  }
}

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
