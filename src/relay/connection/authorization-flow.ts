import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RepeatLimitedLog } from '../ground/repeat-limited-log';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { authorizeUrl } from './authorize-url';
import { consentFailure, type ConsentFailure, type ConsentFailureCode } from './consent-failure';
import { OAuthStates, type ConsumeOutcome } from './oauth-states';
import { Grants } from './grants';
import { readCallback } from './read-callback';
import type { IssuedTokens, TokenOutcome } from './read-token-response';
import { TokenEndpoint } from './token-endpoint';

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

const FAILURE_BY_STATE: Record<Exclude<ConsumeOutcome['kind'], 'redeemed'>, ConsentFailureCode> = {
  unknown: 'state_unknown',
  used: 'state_used',
  expired: 'state_expired',
};
const FAILURE_BY_EXCHANGE: Record<Exclude<TokenOutcome['kind'], 'tokens'>, ConsentFailureCode> = {
  grant_refused: 'code_refused',
  client_refused: 'client_refused',
  request_refused: 'code_refused',
  unreachable: 'copilot_unreachable',
};
/**
 * Failures that anybody who knows the callback URL can cause, or a reload: they do not count as a failed
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
  private readonly countedLog: RepeatLimitedLog;
  private readonly failureListeners: (() => void)[] = [];

  constructor(
    private readonly states: OAuthStates,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly settings: Settings,
    private readonly address: PublicAddress,
    private readonly endpoint: TokenEndpoint,
    private readonly grants: Grants,
    private readonly log: Log,
  ) {
    this.countedLog = new RepeatLimitedLog(log);
  }

  /** How the last authorization failed; null if it did not, or a later one succeeded. */
  get lastFailure(): FailedConsent | null {
    if (this.failure !== null) return this.failure;
    const at = this.states.interruptedAt;
    // A grant that was stored later resolves it, even if that was not recorded here.
    if (at === null || at <= this.bounds.shown(this.grants.current?.connectedAt ?? 0)) return null;
    return { at, ...consentFailure('exchange_interrupted') };
  }

  /** Called after each change of `lastFailure` that does not come with a grant. */
  onFailure(listener: () => void): void {
    this.failureListeners.push(listener);
  }

  /** @throws RelayError `storage_failed` */
  async start(): Promise<StartedAuthorization> {
    const state = this.random.bytes(STATE_BYTES).toString('base64url');
    const browserSecret = this.random.bytes(STATE_BYTES).toString('base64url');
    const redirectUri = `${this.address.url}/oauth/callback`;
    await this.states.create({ state, browserSecret }, redirectUri);
    const { baseUrl, clientId, scopes } = this.settings.copilot;
    this.log.info(
      { act: 'consent_begun', base_url: baseUrl, client_id: clientId, scopes },
      'authorization started',
    );
    return { url: authorizeUrl({ baseUrl, clientId, redirectUri, scopes, state }), browserSecret };
  }

  /**
   * @param query the callback's, unchecked
   * @param browserSecrets every browser secret in the request's cookies
   * @throws RelayError `storage_failed`
   */
  async complete(query: unknown, browserSecrets: readonly string[]): Promise<AuthorizationOutcome> {
    const failure = await this.exchange(query, browserSecrets);
    if (failure === null) {
      this.log.info({ act: 'consent', outcome: 'connected' }, 'connected to Co-Pilot');
      return { status: 'connected' };
    }
    this.countedLog.warn(
      { act: 'consent', outcome: failure.code, why: failure.sentence },
      'authorization failed',
    );
    if (!UNATTRIBUTABLE_FAILURES.includes(failure.code)) {
      this.failure = { at: this.clock.now(), ...failure };
      for (const listener of this.failureListeners) listener();
    }
    return { status: 'failed', failure };
  }

  /** Clears failures and interrupted exchanges up to now. @throws RelayError `storage_failed` */
  async clearFailures(): Promise<void> {
    this.failure = null;
    await this.states.endExchanges(this.clock.now());
  }

  private async exchange(query: unknown, browserSecrets: readonly string[]): Promise<ConsentFailure | null> {
    const callback = readCallback(query);
    if (callback === null) return consentFailure('callback_unreadable');
    const { code, error } = callback;
    const consumed = await this.states.consume(
      callback.state,
      browserSecrets,
      error === null && code !== null,
    );
    if (consumed.kind !== 'redeemed') return consentFailure(FAILURE_BY_STATE[consumed.kind]);
    if (error === 'access_denied') return consentFailure('consent_denied');
    if (error !== null) return consentFailure('consent_failed', `Error code: ${error}`);
    if (code === null) return consentFailure('code_missing');

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
