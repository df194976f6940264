import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import type { AttemptError } from '../../../contract/delivery';
import { maskSecrets } from '../../secrets/mask-secrets';
import type { AddressGuard } from '../../targets/address-guard';
import { statusMatcher } from '../../targets/status-matcher';
import type { TargetRecord } from '../../targets/target-record';
import type { AttemptOutcome } from './attempt-outcome';
import { HttpExchange } from './http-exchange';
import { nameNetworkError } from './network-error';

/** How much of a response body is stored. */
const EXCERPT_BYTES = 1_024;
/** A response with larger headers is an error. */
const MAX_HEADERS_BYTES = 64 * 1024;

/** The settings of a target that its connections depend on. */
type ConnectionSettings = Pick<TargetRecord, 'url' | 'tls' | 'policy'>;

/** The keep-alive connections to one target. */
export class TargetSender {
  private current: Connections;
  /** Pools that were replaced after a change of the target, until their requests have ended. */
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
   * Sends one request. Every failure of target or network is an outcome. Redirects are not followed.
   * @param secrets masked in the excerpt, in case the target echoes them
   * @returns null if `close` aborted it, so that its outcome is unknown
   */
  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const started = performance.now();
    const { pool, path, isSuccess, denialCode, target } = this.current;
    const failed = (error: AttemptError): AttemptOutcome => ({
      status: null,
      error,
      durationMs: Math.round(performance.now() - started),
      excerpt: null,
      retryAfter: null,
    });
    const denied = denialCode();
    if (denied !== null) return failed(nameNetworkError({ code: denied }));

    // Longer than the excerpt: a secret that is cut off at its end would not be recognized.
    const bodyBytes = EXCERPT_BYTES + Math.max(0, ...secrets.map(({ length }) => length));
    const limits = { timeoutMs: target.policy.timeout_ms, bodyBytes };
    const result = await HttpExchange.run(pool, { path, method: 'POST', headers, body }, limits);
    if (result.status === null) {
      if (result.timedOut) return failed('timeout');
      return this.closed ? null : failed(nameNetworkError(result.failure));
    }
    const { status, retryAfter, bodyStart } = result;
    const success = isSuccess(status);
    return {
      status,
      error: success ? null : 'http_status',
      durationMs: Math.round(performance.now() - started),
      excerpt: excerptOf(bodyStart, secrets),
      retryAfter: success ? null : retryAfter,
    };
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
  /** The path and query of the URL. */
  path: string;
  pool: Pool;
  /** See {@link AddressGuard.literalCheckFor}. */
  denialCode: () => string | null;
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
    maxHeaderSize: MAX_HEADERS_BYTES,
    connect: guard.connectorFor(url, {
      timeout,
      ...(tls !== null && {
        rejectUnauthorized: tls.verify,
        ...(tls.ca !== null && { ca: tls.ca }),
        ...(tls.cert !== null && { cert: tls.cert }),
        ...(tls.key !== null && { key: tls.key }),
      }),
    }),
  });
  const isSuccess = statusMatcher(policy.success);
  const path = url.pathname + url.search;
  return { target, path, pool, isSuccess, denialCode: guard.literalCheckFor(url) };
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

/** The beginning of a response body as text; null if it is empty. */
function excerptOf(bodyStart: Buffer, secrets: readonly string[]): string | null {
  if (bodyStart.length === 0) return null;
  const text = maskSecrets(bodyStart.toString('utf8'), secrets);
  return Buffer.from(text).toString('utf8', 0, EXCERPT_BYTES).replaceAll('\u0000', '\ufffd');
}
