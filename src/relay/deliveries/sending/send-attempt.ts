import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Pool, type Dispatcher } from 'undici';
import type { AttemptError } from '../../../contract/delivery';
import { maskSecrets } from '../../secrets/mask-secrets';
import type { AddressGuard } from '../../targets/address-guard';
import { statusAmong } from '../../targets/status-among';
import type { TargetRecord } from '../../targets/target-record';
import { nameNetworkError } from './network-error';

/** The stored excerpt of a response body, and the limits of reading it before the connection is dropped instead. */
const EXCERPT_BYTES = 1_024;
const READ_BYTES = 64 * 1024;
const READ_MS = 1_000;

/** A response with larger headers is an error. */
const HEADERS_BYTES = 64 * 1024;

export interface AttemptOutcome {
  /** The response status; null without a response. */
  status: number | null;
  /** Null on success. */
  error: AttemptError | null;
  durationMs: number;
  excerpt: string | null;
  /** The `Retry-After` header of an unsuccessful response. */
  retryAfter: string | null;
}

/** The settings of a target that its connections depend on. */
type ConnectionSettings = Pick<TargetRecord, 'url' | 'tls' | 'policy'>;

/** The keep-alive connections to one target. */
export class TargetSender {
  private current: Connections;
  /** Pools replaced by a change, until their requests have ended. */
  private readonly retired = new Set<Pool>();
  private closed = false;

  constructor(
    target: ConnectionSettings,
    private readonly guard: AddressGuard,
  ) {
    this.current = openConnections(target, guard);
  }

  /** Applies a change of the target. @returns whether it needs new connections */
  update(target: ConnectionSettings): boolean {
    const { target: before, pool } = this.current;
    if (sameConnections(before, target)) return false;
    this.current = openConnections(target, this.guard);
    this.retired.add(pool);
    void pool.close().then(() => this.retired.delete(pool));
    return true;
  }

  /**
   * Makes one attempt. Every failure of target or network is an outcome; redirects are not followed. The status alone
   * decides, even if the body is slow, endless or cut off.
   * @param secrets masked in the excerpt, in case the target echoes them
   * @returns null if `close` aborted it, so that its outcome is unknown
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

    // undici accepts any emitter as a signal; an AbortController per attempt costs a fifth more CPU.
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

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.current.pool, ...this.retired].map((pool) => pool.destroy()));
  }
}

/** The connections to a target until its settings change. */
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

/** The beginning of a response as text. If a response exceeds the limits, its connection is dropped. */
async function readExcerpt(
  body: Dispatcher.ResponseData['body'],
  secrets: readonly string[],
): Promise<string | null> {
  const kept: Buffer[] = [];
  // Reads further than the excerpt: a secret cut off at its end would not be recognized.
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
    // Cut off: the excerpt is what arrived before.
  } finally {
    clearTimeout(timer);
  }
  if (read === 0) return null;
  const text = maskSecrets(Buffer.concat(kept).toString('utf8', 0, wanted), secrets);
  return Buffer.from(text).toString('utf8', 0, EXCERPT_BYTES).replaceAll('\u0000', '\ufffd');
}
