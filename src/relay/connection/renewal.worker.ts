import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { TimeBounds } from '../ground/time-bounds';
import { renewalDueAt, type Grant } from './grant';
import { grantAfterRenewal } from './grant-after-renewal';
import { GrantStore } from './grant.store';
import { TokenEndpoint } from './token-endpoint';
import { SharedRun } from '../ground/shared-run';

/** A usable token; or why there is none, as a clause without a full stop. */
export type AccessToken = { kind: 'token'; token: string } | { kind: 'no_token'; why: string };

const TICK_MS = 500;
/** The pause after an internal error, such as a full disk. */
const INTERNAL_ERROR_PAUSE_MS = 5_000;

/** Renews the access token at 80 % of its lifetime. Concurrent callers share one renewal. */
@Injectable()
export class RenewalWorker implements OnModuleDestroy {
  private readonly renewals = new SharedRun(() => this.renewOnce().finally(() => this.grants.endRenewal()));
  private pausedUntil = 0;
  private stopped = false;

  constructor(
    private readonly grants: GrantStore,
    private readonly endpoint: TokenEndpoint,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** The access token, renewed first if it has expired. @throws RelayError `storage_failed` */
  async accessToken(): Promise<AccessToken> {
    const grant = this.grants.current;
    if (grant !== null && this.currentTimeFor(grant) >= grant.expiresAt) await this.renew();
    return this.currentToken();
  }

  /**
   * The access token to use instead of one that Co-Pilot rejected. Renews it, unless another caller has done so
   * meanwhile.
   * @throws RelayError `storage_failed`
   */
  async replace(rejected: string): Promise<AccessToken> {
    if (this.grants.current?.accessToken === rejected) await this.renew();
    const token = this.currentToken();
    if (token.kind === 'no_token' || token.token !== rejected) return token;
    return noToken('Co-Pilot rejected the access token, and a new one could not be obtained');
  }

  /**
   * Renews now, unless the last renewal failed and it is too early to retry, or the daemon is stopping. Concurrent
   * callers share one renewal.
   * @throws RelayError `storage_failed`
   */
  renew(): Promise<void> {
    if (this.stopped && !this.renewals.isRunning) return Promise.resolve();
    return this.renewals.run();
  }

  /** Runs what is due; never rejects. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.stopped || this.renewals.isRunning || this.bounds.latest() < this.pausedUntil) return;
    try {
      await this.renewIfDue();
    } catch (error) {
      this.pausedUntil = this.bounds.latest() + INTERNAL_ERROR_PAUSE_MS;
      this.log.error({ action: 'renew', err: error }, 'access token renewal failed with an internal error');
    }
  }

  /**
   * Starts no further renewal, and waits until the tokens of the current one are stored: Co-Pilot may no longer
   * accept the refresh token they replace.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.renewals.idle();
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  private currentToken(): AccessToken {
    const grant = this.grants.current;
    if (grant === null) return noToken('Switchboard is not connected to Co-Pilot');
    const { state, refreshToken, expiresAt } = grant;
    if (state === 'consent_needed' && refreshToken === null)
      return noToken('the access to Co-Pilot has ended');
    if (state === 'consent_needed') return noToken('it no longer accepts the authorization');
    if (this.currentTimeFor(grant) < expiresAt) return { kind: 'token', token: grant.accessToken };
    return noToken('the access token has expired and could not be renewed');
  }

  private async renewIfDue(): Promise<void> {
    await this.grants.retrySave();
    const grant = this.grants.current;
    const due = grant === null ? null : renewalDueAt(grant);
    if (grant !== null && due !== null && this.currentTimeFor(grant) >= due) await this.renew();
  }

  /** A token that cannot be renewed is used until it is so old that it has expired, whatever the clock was set to. */
  private currentTimeFor({ refreshToken, issuedAt }: Grant): number {
    return refreshToken === null ? issuedAt + this.bounds.ageOf(issuedAt) : this.bounds.latest();
  }

  private async renewOnce(): Promise<void> {
    const grant = this.grants.current;
    const startedAt = this.bounds.latest();
    if (grant === null || grant.state === 'consent_needed') return;
    if (grant.retryAt !== null && startedAt < grant.retryAt) return;
    if (grant.refreshToken === null) {
      const problem = 'Co-Pilot gave no refresh token';
      return this.grants.save({ ...grant, state: 'consent_needed', problem });
    }
    await this.grants.recordRenewalStart(startedAt);
    // Disconnected, or replaced, while the record was written.
    if (this.grants.current !== grant) return;
    const outcome = await this.endpoint.refresh(grant.refreshToken);
    // A consent given meanwhile has newer tokens; a deleted grant stays deleted.
    if (this.grants.current !== grant) return;
    const endedAt = this.bounds.latest();
    const next = grantAfterRenewal(grant, outcome, { startedAt, endedAt }, this.random);
    await this.grants.save(next);
    this.log[outcome.kind === 'tokens' ? 'info' : 'warn'](
      {
        action: 'renew',
        outcome: outcome.kind,
        why: next.problem,
        interrupted_at: grant.interruptedAt,
        duration_ms: endedAt - startedAt,
        expires_at: next.expiresAt,
        failures: next.failures,
        retry_at: next.retryAt,
      },
      'access token renewal',
    );
  }
}

const noToken = (why: string): AccessToken => ({ kind: 'no_token', why });
