import type { buildConnector } from 'undici';
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

/**
 * The keep-alive connections to one target, on the thread that sends; as many as there are requests at a time, which
 * the queue limits. undici's pool, which searches them for a free one, takes a twentieth more CPU per request.
 */
export class HttpConnections {
  private readonly open = new Set<KeepAliveConnection>();
  /** Those without a request. The one that was used last is used next. */
  private readonly free: KeepAliveConnection[] = [];
  private readonly origin: string;
  private readonly connect: buildConnector.connector;
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
    this.origin = url.origin;
    this.connect = connectorBy(route, { timeout, ...tlsOptions(tls) });
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
    const connection = this.free.pop() ?? this.openConnection();
    const result = await HttpExchange.run(connection, request, limits);
    if (result.status === null && result.timedOut) {
      this.drop(connection);
      return failedOutcome('timeout', started);
    }
    this.free.push(connection);
    if (result.status === null) {
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

  async abort(): Promise<void> {
    this.aborted = true;
    await Promise.all(Array.from(this.open, (connection) => connection.destroy()));
  }

  private openConnection(): KeepAliveConnection {
    const connection = new KeepAliveConnection(this.origin, {
      connect: this.connect,
      maxHeaderSize: MAX_HEADERS_BYTES,
    });
    this.open.add(connection);
    return connection;
  }

  /** It may still be connecting, for which the next request would have to wait. */
  private drop(connection: KeepAliveConnection): void {
    this.open.delete(connection);
    void connection.destroy();
  }
}
