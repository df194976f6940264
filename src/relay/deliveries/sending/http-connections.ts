import { Pool } from 'undici';
import { connectorBy, type Route } from '../../network/connector';
import { statusMatcher } from '../../targets/status-matcher';
import { failedOutcome, type AttemptOutcome } from './attempt-outcome';
import type { ConnectionSettings } from './connection-settings';
import { EXCERPT_BYTES, excerptOf } from './excerpt';
import { HttpExchange, type ExchangeResult } from './http-exchange';
import { KeepAliveConnection } from './keep-alive-connection';
import { describeNetworkError } from './network-error';
import { tlsOptions } from './tls-options';

/** A response with larger headers is an error. */
const MAX_HEADERS_BYTES = 64 * 1024;

/**
 * That a connection was closed is noticed within a round trip. A target that closes it later may be processing the
 * request.
 */
const STALE_WITHIN_MS = 1_000;

/** The keep-alive connections to one target, on the thread that sends. */
export class HttpConnections {
  private readonly pool: Pool;
  /** The path and query of the URL. */
  private readonly path: string;
  private readonly isSuccess: (status: number) => boolean;
  private readonly timeoutMs: number;
  private aborted = false;

  constructor({ url: address, tls, policy }: ConnectionSettings, route: Route) {
    const url = new URL(address);
    const timeout = policy.timeout_ms;
    this.timeoutMs = timeout;
    this.path = url.pathname + url.search;
    this.isSuccess = statusMatcher(policy.success);
    this.pool = new Pool(url.origin, {
      connections: policy.concurrency,
      pipelining: 1,
      factory: (origin, options) => new KeepAliveConnection(origin, options),
      // `HttpExchange` has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADERS_BYTES,
      connect: connectorBy(route, { timeout, ...tlsOptions(tls) }),
    });
  }

  /** @returns null if `abort` ended it */
  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const started = performance.now();
    // Longer than the excerpt: a secret that is cut off at its end would not be recognized.
    const bodyBytes = EXCERPT_BYTES + Math.max(0, ...secrets.map(({ length }) => length));
    const limits = { timeoutMs: this.timeoutMs, bodyBytes };
    const request = { path: this.path, method: 'POST', headers, body } as const;
    const result = await HttpExchange.run(this.pool, request, limits);
    if (result.status === null) {
      if (result.timedOut) return failedOutcome('timeout', started);
      if (this.aborted) return null;
      return this.failed(result, started, secrets);
    }
    const { status, retryAfter, bodyStart } = result;
    const success = this.isSuccess(status);
    return {
      status,
      error: success ? null : 'http_status',
      durationMs: Math.round(performance.now() - started),
      excerpt: excerptOf(bodyStart, secrets),
      retryAfter: success ? null : retryAfter,
    };
  }

  private failed(
    { failure, isUnanswered, invalid }: Extract<ExchangeResult, { status: null }>,
    started: number,
    secrets: readonly string[],
  ): AttemptOutcome {
    if (invalid !== null) return failedOutcome(invalid.error, started, excerptOf(invalid.answer, secrets));
    const { error, code } = describeNetworkError(failure);
    const outcome = failedOutcome(error, started, code);
    const isPrompt = outcome.durationMs < STALE_WITHIN_MS;
    return { ...outcome, wasStale: isUnanswered && isPrompt && error === 'connection_reset' };
  }

  abort(): Promise<void> {
    this.aborted = true;
    return this.pool.destroy();
  }
}
