import { Injectable } from '@nestjs/common';
import { ENDPOINTS } from '../../protocol/endpoints';
import { SCOPE_SEPARATOR } from '../../protocol/scopes';
import { Clock } from '../ground/clock';
import { reachRemedy } from '../ground/machine-faults';
import { RelayError } from '../ground/relay-error';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { Settings, type CopilotSettings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { consentFailure, type ConsentFailure, type ConsentFailureCode } from './consent-failure';
import { OAuthStateStore, type ConsumeOutcome } from './oauth-state.store';
import { GrantStore } from './grant.store';
import type { IssuedTokens, TokenOutcome } from './read-token-response';
import { UpstreamHttp } from './upstream-http';
import { TokenEndpoint } from './token-endpoint';
import { Signal } from '../ground/signal';
import { z } from 'zod';

const parameter = z.string().min(1).max(4_096);

/** The parameters of Co-Pilot's redirect (document, 4.1; RFC 6749, 4.1.2); one that occurs twice is an array. */
const callbackQuery = z.object({
  state: parameter,
  code: parameter.optional(),
  /** Co-Pilot's error code; `unreadable` if it cannot be one. */
  error: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .catch('unreadable'),
});

export interface StartedAuthorization {
  /** The URL of Co-Pilot's consent page. */
  url: string;
  /** Stored in a cookie: the callback must come from the browser that started the authorization. */
  browserSecret: string;
}

export type AuthorizationOutcome = { status: 'connected' } | { status: 'failed'; failure: ConsentFailure };

/** `at`: ms since 1970. */
export type FailedConsent = ConsentFailure & { at: number };

const STATE_BYTES = 32;

const FAILURE_BY_STATE: Record<Exclude<ConsumeOutcome['kind'], 'consumed'>, ConsentFailureCode> = {
  unknown: 'state_unknown',
  used: 'state_used',
  expired: 'state_expired',
};
const FAILURE_BY_EXCHANGE: Record<Exclude<TokenOutcome['kind'], 'tokens'>, ConsentFailureCode> = {
  grant_rejected: 'code_rejected',
  client_rejected: 'client_rejected',
  request_rejected: 'code_rejected',
  no_tokens: 'tokens_missing',
  unreachable: 'copilot_unreachable',
};
/**
 * Failures that a reload, or anybody who knows the callback URL, can cause. They are not recorded as a failed
 * authorization.
 */
const UNATTRIBUTABLE_FAILURES: readonly ConsentFailureCode[] = [
  'callback_unreadable',
  'state_unknown',
  'state_used',
];

/** The authorization code flow (document, 5.2): sends the operator to Co-Pilot and handles the callback. */
@Injectable()
export class AuthorizationFlow {
  private failure: FailedConsent | null = null;
  private readonly repeatLimitedLog: RateLimitedLog;
  private readonly failed = new Signal();

  constructor(
    private readonly states: OAuthStateStore,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly settings: Settings,
    private readonly address: PublicAddress,
    private readonly endpoint: TokenEndpoint,
    private readonly http: UpstreamHttp,
    private readonly grants: GrantStore,
    private readonly log: Log,
  ) {
    this.repeatLimitedLog = new RateLimitedLog(log);
  }

  /** How the last authorization failed; null if it did not, or a later one succeeded. */
  get lastFailure(): FailedConsent | null {
    if (this.failure !== null) return this.failure;
    const at = this.states.interruptedAt;
    // A grant that was stored later resolves it, even if that was not recorded here.
    if (at === null || at <= this.bounds.toWallClock(this.grants.current?.connectedAt ?? 0)) return null;
    return { at, ...consentFailure('exchange_interrupted') };
  }

  /** Calls `listener` after each change of `lastFailure` that does not come with a grant. */
  onFailure(listener: () => void): void {
    this.failed.subscribe(listener);
  }

  /** @throws RelayError `copilot_unreachable`, 502, if Co-Pilot does not respond at all */
  async assertReachable(): Promise<void> {
    const request = { method: 'HEAD', path: '/', headers: {}, body: null, secrets: [] } as const;
    const response = await this.http.send(request);
    if (response.kind === 'response') return;
    const { baseUrl } = this.settings.copilot;
    throw new RelayError(
      'copilot_unreachable',
      502,
      `Co-Pilot does not respond at ${baseUrl} (${response.reason}).`,
      { remedy: `${reachRemedy(response.reason)} Then try again.` },
    );
  }

  /** Starts an authorization, which continues at the returned URL. @throws RelayError `storage_failed` */
  async start(): Promise<StartedAuthorization> {
    const state = this.random.bytes(STATE_BYTES).toString('base64url');
    const browserSecret = this.random.bytes(STATE_BYTES).toString('base64url');
    const redirectUri = `${this.address.url}/oauth/callback`;
    await this.states.create(state, browserSecret, redirectUri);
    const { baseUrl, clientId, scopes } = this.settings.copilot;
    const record = { action: 'consent_started', base_url: baseUrl, client_id: clientId, scopes };
    this.log.info(record, 'authorization started');
    return { url: authorizeUrl(this.settings.copilot, { redirectUri, state }), browserSecret };
  }

  /**
   * Handles the callback: exchanges the code for tokens.
   * @param query of the callback, unvalidated
   * @param browserSecrets every browser secret in the request's cookies
   * @throws RelayError `storage_failed`
   */
  async complete(query: unknown, browserSecrets: readonly string[]): Promise<AuthorizationOutcome> {
    const failure = await this.exchange(query, browserSecrets);
    if (failure === null) {
      this.log.info({ action: 'consent', outcome: 'connected' }, 'connected to Co-Pilot');
      return { status: 'connected' };
    }
    this.repeatLimitedLog.warn(
      { action: 'consent', outcome: failure.code, why: failure.sentence },
      'authorization failed',
    );
    if (!UNATTRIBUTABLE_FAILURES.includes(failure.code)) {
      this.failure = { at: this.clock.now(), ...failure };
      this.failed.emit();
    }
    return { status: 'failed', failure };
  }

  /** Forgets the last failure, and an exchange that was interrupted. @throws RelayError `storage_failed` */
  async clearFailures(): Promise<void> {
    this.failure = null;
    await this.states.endExchanges(this.clock.now());
  }

  /** @returns why it failed; null if there is a grant now */
  private async exchange(query: unknown, browserSecrets: readonly string[]): Promise<ConsentFailure | null> {
    const { data: callback } = callbackQuery.safeParse(query);
    if (callback === undefined) return consentFailure('callback_unreadable');
    const { state, code, error } = callback;
    const exchanging = error === undefined && code !== undefined;
    const consumed = await this.states.consume(state, browserSecrets, exchanging);
    if (consumed.kind !== 'consumed') return consentFailure(FAILURE_BY_STATE[consumed.kind]);
    if (error === 'access_denied') return consentFailure('consent_denied');
    if (error !== undefined) return consentFailure('consent_failed', `Error code: ${error}`);
    if (code === undefined) return consentFailure('code_missing');

    // The tokens are issued after this, so they do not expire earlier than it says.
    const requestedAt = this.bounds.latest();
    const outcome = await this.endpoint.exchange(code, consumed.redirectUri);
    if (outcome.kind === 'tokens') {
      this.failure = null;
      await this.connect(outcome.tokens, requestedAt);
      return null;
    }
    await this.states.endExchanges(consumed.at);
    return consentFailure(FAILURE_BY_EXCHANGE[outcome.kind], outcome.reason);
  }

  private connect(tokens: IssuedTokens, issuedAt: number): Promise<void> {
    return this.grants.connect({
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      // If omitted, they are those requested (RFC 6749, 5.1).
      scopes: tokens.scopes ?? this.settings.copilot.scopes,
      state: 'valid',
      problem: null,
      connectedAt: issuedAt,
      issuedAt,
      expiresAt: issuedAt + Math.round(tokens.lifetimeSeconds * 1000),
      interruptedAt: null,
      unusedSince: null,
      failures: 0,
      retryAt: null,
    });
  }
}

/** The URL of Co-Pilot's consent page (document, 4.1). */
function authorizeUrl(
  { baseUrl, clientId, scopes }: CopilotSettings,
  { redirectUri, state }: { redirectUri: string; state: string },
): string {
  const url = new URL(`${baseUrl}${ENDPOINTS.authorize}`);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('scope', scopes.join(SCOPE_SEPARATOR.authorizeRequest));
  url.searchParams.set('state', state);
  return url.href;
}
