import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Pool, type Dispatcher } from 'undici';
import type { AttemptError } from '../../../contract/delivery';
import { maskSecrets } from '../../secrets/mask-secrets';
import type { AddressGuard } from '../../targets/address-guard';
import { statusAmong } from '../../targets/status-among';
import type { TargetRecord } from '../../targets/target-record';
import { nameNetworkError } from './network-error';

/** What of an answer's body is kept, and how much of it, for how long, is read before the connection is dropped instead. */
const EXCERPT_BYTES = 1_024;
const READ_BYTES = 64 * 1024;
const READ_MS = 1_000;

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
type ConnectionSettings = Pick<TargetRecord, 'url' | 'tls' | 'policy'>;

/** The connections to one target: kept alive, guarded, closed with it. */
export class TargetSender {
  private current: Connections;
  /** What a change left behind, until what is under way there has ended. */
  private readonly retired = new Set<Pool>();
  private closed = false;

  constructor(
    target: ConnectionSettings,
    private readonly guard: AddressGuard,
  ) {
    this.current = openConnections(target, guard);
  }

  /** The target as it is from now on. @returns whether that takes new connections */
  update(target: ConnectionSettings): boolean {
    const { target: before, pool } = this.current;
    if (sameConnections(before, target)) return false;
    this.current = openConnections(target, this.guard);
    this.retired.add(pool);
    void pool.close().then(() => this.retired.delete(pool));
    return true;
  }

  /**
   * One try. Whatever the target or the network does is an outcome; redirects are not followed. The status decides: what
   * becomes of the body behind it, slow, endless or cut off, changes nothing.
   * @param secrets what nobody may see, should the target repeat it
   * @returns null when `close` cut it short: then nothing is known of it
   */
  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
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
    const { pool, url, isSuccess, target } = this.current;
    const refusal = this.guard.literalRefusal(url);
    if (refusal !== null) return outcome(null, nameNetworkError({ code: refusal }));

    // undici takes any emitter for a signal; an AbortController for each attempt costs a fifth more.
    const signal = new EventEmitter();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      signal.emit('abort');
    }, target.policy.timeout_ms);
    let response: Dispatcher.ResponseData;
    try {
      response = await pool.request({
        path: url.pathname + url.search,
        method: 'POST',
        headers,
        body,
        signal,
      });
    } catch (error) {
      if (timedOut) return outcome(null, 'timeout');
      if (this.closed) return null;
      return outcome(null, nameNetworkError(error));
    } finally {
      clearTimeout(timer);
    }
    const status = response.statusCode;
    const success = isSuccess(status);
    const retryAfter = success ? null : oneValue(response.headers['retry-after']);
    const excerpt = await readExcerpt(response.body, secrets);
    return outcome(status, success ? null : 'http_status', { excerpt, retryAfter });
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.current.pool, ...this.retired].map((pool) => pool.destroy()));
  }
}

/** What requests to a target go by until it changes. */
interface Connections {
  target: ConnectionSettings;
  url: URL;
  pool: Pool;
  isSuccess: (status: number) => boolean;
}

function openConnections(target: ConnectionSettings, guard: AddressGuard): Connections {
  const { tls, policy } = target;
  const timeout = policy.timeout_ms;
  const url = new URL(target.url);
  const pool = new Pool(url.origin, {
    connections: policy.concurrency,
    pipelining: 1,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxHeaderSize: HEADERS_BYTES,
    connect: {
      timeout,
      lookup: guard.lookupFor(url),
      ...(tls !== null && {
        rejectUnauthorized: tls.verify,
        ...(tls.ca !== null && { ca: tls.ca }),
        ...(tls.cert !== null && { cert: tls.cert }),
        ...(tls.key !== null && { key: tls.key }),
      }),
    },
  });
  const isSuccess = statusAmong(policy.success);
  return { target, url, pool, isSuccess };
}

function sameConnections(one: ConnectionSettings, other: ConnectionSettings): boolean {
  return (
    one.url === other.url &&
    one.policy.timeout_ms === other.policy.timeout_ms &&
    one.policy.concurrency === other.policy.concurrency &&
    isDeepStrictEqual(one.policy.success, other.policy.success) &&
    isDeepStrictEqual(one.tls, other.tls)
  );
}

const oneValue = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null);

/** The beginning of an answer as text. A longer or slower answer than we care to read costs the target its connection, not us. */
async function readExcerpt(
  body: Dispatcher.ResponseData['body'],
  secrets: readonly string[],
): Promise<string | null> {
  const kept: Buffer[] = [];
  // A secret that is cut off would not be found.
  const wanted = EXCERPT_BYTES + Math.max(0, ...secrets.map(({ length }) => length));
  let read = 0;
  const timer = setTimeout(() => body.destroy(), READ_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (read < wanted) kept.push(chunk);
      read += chunk.length;
      if (read > READ_BYTES) break;
    }
  } catch {
    // Cut off: what came before is the excerpt.
  } finally {
    clearTimeout(timer);
  }
  if (read === 0) return null;
  const text = maskSecrets(Buffer.concat(kept).toString('utf8', 0, wanted), secrets);
  return Buffer.from(text).toString('utf8', 0, EXCERPT_BYTES).replaceAll('\u0000', '\ufffd');
}
