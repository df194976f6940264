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
import { ConsentStates, type Redemption } from './oauth-states';
import { Grants } from './grants';
import { readCallback } from './read-callback';
import type { IssuedTokens, TokenOutcome } from './read-token-answer';
import { TokenEndpoint } from './token-endpoint';

export interface BegunConsent {
  /** Of Co-Pilot's consent page. */
  address: string;
  /** Has to come back with the answer, from the browser that is sent there and from no other. */
  browser: string;
}

export type ConsentOutcome = { status: 'connected' } | { status: 'failed'; failure: ConsentFailure };

/** `at`: ms since 1970. */
export type FailedConsent = ConsentFailure & { at: number };

const STATE_BYTES = 32;

const FAILURE_OF_STATE: Record<Exclude<Redemption['kind'], 'redeemed'>, ConsentFailureCode> = {
  unknown: 'state_unknown',
  used: 'state_used',
  expired: 'state_expired',
};
const FAILURE_OF_EXCHANGE: Record<Exclude<TokenOutcome['kind'], 'tokens'>, ConsentFailureCode> = {
  grant_refused: 'code_refused',
  client_refused: 'client_refused',
  request_refused: 'code_refused',
  unreachable: 'copilot_unreachable',
};
/** What anybody can bring about who knows this address, or who loads a page again: no consent has failed by it. */
const NOT_OF_A_CONSENT: readonly ConsentFailureCode[] = [
  'callback_unreadable',
  'state_unknown',
  'state_used',
];

/** The authorization code flow (document, 5.2): sends the operator to Co-Pilot and takes what comes back. */
@Injectable()
export class Consents {
  private failed: FailedConsent | null = null;
  private readonly counted: RepeatLimitedLog;
  private readonly failureListeners: (() => void)[] = [];

  constructor(
    private readonly states: ConsentStates,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly settings: Settings,
    private readonly address: PublicAddress,
    private readonly endpoint: TokenEndpoint,
    private readonly grants: Grants,
    private readonly log: Log,
  ) {
    this.counted = new RepeatLimitedLog(log);
  }

  /** How the last consent failed; null where it did not, or where a later one has connected. */
  get lastFailure(): FailedConsent | null {
    if (this.failed !== null) return this.failed;
    const at = this.states.interruptedAt;
    // A grant that was stored after all settles it, whether or not that went on record.
    if (at === null || at <= this.bounds.shown(this.grants.current?.connectedAt ?? 0)) return null;
    return { at, ...consentFailure('exchange_interrupted') };
  }

  /** Told after each change of `lastFailure` that no grant comes with. */
  onFailure(listener: () => void): void {
    this.failureListeners.push(listener);
  }

  /** @throws RelayError `storage_failed` */
  async begin(): Promise<BegunConsent> {
    const state = this.random.bytes(STATE_BYTES).toString('base64url');
    const browser = this.random.bytes(STATE_BYTES).toString('base64url');
    const redirectUri = `${this.address.url}/oauth/callback`;
    await this.states.begin({ state, browser }, redirectUri);
    const { baseUrl, clientId, scopes } = this.settings.copilot;
    this.log.info({ act: 'consent_begun', base_url: baseUrl, client_id: clientId, scopes }, 'consent begun');
    return { address: authorizeUrl({ baseUrl, clientId, redirectUri, scopes, state }), browser };
  }

  /**
   * @param query the callback's, unchecked
   * @param browsers each secret of a consent that the browser sent
   * @throws RelayError `storage_failed`
   */
  async complete(query: unknown, browsers: readonly string[]): Promise<ConsentOutcome> {
    const failure = await this.tryToComplete(query, browsers);
    if (failure === null) {
      this.log.info({ act: 'consent', outcome: 'connected' }, 'connected to Co-Pilot');
      return { status: 'connected' };
    }
    this.counted.warn({ act: 'consent', outcome: failure.code, why: failure.sentence }, 'consent failed');
    if (!NOT_OF_A_CONSENT.includes(failure.code)) {
      this.failed = { at: this.clock.now(), ...failure };
      for (const listener of this.failureListeners) listener();
    }
    return { status: 'failed', failure };
  }

  /** Nothing is told any more of the consents until now. @throws RelayError `storage_failed` */
  async forgetFailures(): Promise<void> {
    this.failed = null;
    await this.states.settle(this.clock.now());
  }

  private async tryToComplete(query: unknown, browsers: readonly string[]): Promise<ConsentFailure | null> {
    const callback = readCallback(query);
    if (callback === null) return consentFailure('callback_unreadable');
    const { code, error } = callback;
    const redeemed = await this.states.redeem(callback.state, browsers, error === null && code !== null);
    if (redeemed.kind !== 'redeemed') return consentFailure(FAILURE_OF_STATE[redeemed.kind]);
    if (error === 'access_denied') return consentFailure('consent_denied');
    if (error !== null) return consentFailure('consent_failed', `Its name for it: ${error}`);
    if (code === null) return consentFailure('code_missing');

    const askedAt = this.bounds.latest();
    const outcome = await this.endpoint.exchange(code, redeemed.redirectUri);
    if (outcome.kind === 'tokens') {
      this.failed = null;
      await this.connect(outcome.tokens, askedAt);
      return null;
    }
    await this.states.settle(redeemed.at);
    return consentFailure(FAILURE_OF_EXCHANGE[outcome.kind], outcome.why);
  }

  private connect(tokens: IssuedTokens, issuedAt: number): Promise<void> {
    return this.grants.connect({
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      // Not named, they are those that were asked for (RFC 6749, 5.1).
      scopes: tokens.scopes ?? this.settings.copilot.scopes,
      state: 'valid',
      problem: null,
      connectedAt: issuedAt,
      issuedAt,
      expiresAt: issuedAt + Math.round(tokens.lifeSeconds * 1000),
      interruptedAt: null,
      unusedSince: null,
      failures: 0,
      retryAt: null,
    });
  }
}
