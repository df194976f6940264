import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { Journal } from '../database/journal';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';
import { authorizeUrl } from './authorize-url';
import { consentFailure, type ConsentFailure } from './consent-failure';
import { ConsentEntity } from './consent.entity';
import { Grants } from './grants';
import { readCallback } from './read-callback';
import type { IssuedTokens, TokenOutcome } from './read-token-answer';
import { TokenEndpoint } from './token-endpoint';

export type ConsentOutcome = { status: 'connected' } | { status: 'failed'; failure: ConsentFailure };

const STATE_BYTES = 32;
const STATE_LIFE_MS = 15 * 60_000;
/** Kept this long beyond its life, so that a late or second answer can be told what it is. */
const STATE_KEPT_MS = 86_400_000;

const FAILURE_OF: Record<Exclude<TokenOutcome['kind'], 'tokens'>, ConsentFailure['code']> = {
  grant_refused: 'code_refused',
  client_refused: 'client_refused',
  unreachable: 'copilot_unreachable',
};

/** The authorization code flow (document, 5.2): sends the operator to Co-Pilot and takes what comes back. */
@Injectable()
export class Consents {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly settings: Settings,
    private readonly address: PublicAddress,
    private readonly endpoint: TokenEndpoint,
    private readonly grants: Grants,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns the address of Co-Pilot's consent page. @throws RelayError `storage_failed` */
  async begin(): Promise<string> {
    const state = this.random.bytes(STATE_BYTES).toString('base64url');
    const redirectUri = `${this.address.url}/oauth/callback`;
    const now = this.clock.now();
    const insert = this.source
      .createQueryBuilder()
      .insert()
      .into(ConsentEntity)
      .values({ stateHash: hash(state), redirectUri, expiresAt: now + STATE_LIFE_MS, usedAt: null })
      .getQueryAndParameters();
    const forget = this.source
      .createQueryBuilder()
      .delete()
      .from(ConsentEntity)
      .where('expires_at < :before', { before: now - STATE_KEPT_MS })
      .getQueryAndParameters();
    await this.journal.change([forget, insert]);
    const { baseUrl, clientId, scopes } = this.settings.copilot;
    this.log.info({ act: 'consent_begun', base_url: baseUrl, client_id: clientId, scopes }, 'consent begun');
    return authorizeUrl({ baseUrl, clientId, redirectUri, scopes, state });
  }

  /** @param query the callback's, unchecked. @throws RelayError `storage_failed` */
  async complete(query: unknown): Promise<ConsentOutcome> {
    const failure = await this.tryToComplete(query);
    if (failure === null) {
      this.log.info({ act: 'consent', outcome: 'connected' }, 'connected to Co-Pilot');
      return { status: 'connected' };
    }
    this.log.warn({ act: 'consent', outcome: failure.code, why: failure.sentence }, 'consent failed');
    return { status: 'failed', failure };
  }

  private async tryToComplete(query: unknown): Promise<ConsentFailure | null> {
    const callback = readCallback(query);
    if (callback === null) return consentFailure('callback_unreadable');
    const redeemed = await this.redeem(callback.state);
    if ('code' in redeemed) return redeemed;
    if (callback.error === 'access_denied') return consentFailure('consent_denied');
    if (callback.error !== null)
      return consentFailure('consent_failed', `Its name for it: ${callback.error}`);
    if (callback.code === null) return consentFailure('code_missing');

    const askedAt = this.clock.now();
    const outcome = await this.endpoint.exchange(callback.code, redeemed.redirectUri);
    if (outcome.kind !== 'tokens') return consentFailure(FAILURE_OF[outcome.kind], outcome.why);
    await this.connect(outcome.tokens, askedAt);
    return null;
  }

  private connect(tokens: IssuedTokens, now: number): Promise<void> {
    return this.grants.connect({
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      // Not named, they are those that were asked for (RFC 6749, 5.1).
      scopes: tokens.scopes ?? this.settings.copilot.scopes,
      state: 'valid',
      problem: null,
      connectedAt: now,
      issuedAt: now,
      expiresAt: now + Math.round(tokens.lifeSeconds * 1000),
      interruptedAt: null,
      failures: 0,
      retryAt: null,
    });
  }

  /** Takes a state out of use. The one statement decides, so that of two answers at once one alone gets it. */
  private async redeem(state: string): Promise<ConsentFailure | { redirectUri: string }> {
    const stateHash = hash(state);
    // Read first: anybody may call, and who only guesses shall cause no writing.
    const consent = await this.source.getRepository(ConsentEntity).findOneBy({ stateHash });
    if (consent === null) return consentFailure('state_unknown');
    const now = this.clock.now();
    const [sql, parameters] = this.source
      .createQueryBuilder()
      .update(ConsentEntity)
      .set({ usedAt: now })
      .where('state_hash = :stateHash AND used_at IS NULL', { stateHash })
      .getQueryAndParameters();
    // TypeORM knows no RETURNING for SQLite, which has it.
    const { rows } = await this.journal.change([[`${sql} RETURNING state_hash`, parameters]]);
    if (rows[0]?.length !== 1) return consentFailure('state_used');
    return now < consent.expiresAt ? { redirectUri: consent.redirectUri } : consentFailure('state_expired');
  }
}

function hash(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
