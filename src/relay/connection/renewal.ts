import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { TimeBounds } from '../ground/time-bounds';
import { renewalDueAt, type Grant } from './grant';
import { grantAfter } from './grant-after-renewal';
import { Grants } from './grants';
import { TokenEndpoint } from './token-endpoint';

/** A token that can be sent, or why there is none: half a sentence. */
export type AccessToken = { kind: 'token'; token: string } | { kind: 'no_token'; why: string };

const TICK_MS = 500;
/** After a failure of ours, such as a full disk, the next look waits this long. */
const OWN_FAULT_PAUSE_MS = 5_000;

/** Keeps the access token fresh: at 80 % of its life, one renewal at a time however many ask. */
@Injectable()
export class Renewal implements OnModuleDestroy {
  private running: Promise<void> | null = null;
  private pausedUntil = 0;
  private stopped = false;

  constructor(
    private readonly grants: Grants,
    private readonly endpoint: TokenEndpoint,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** The access token, renewed first where it has expired. @throws RelayError `storage_failed` */
  async accessToken(): Promise<AccessToken> {
    const grant = this.grants.current;
    if (grant !== null && this.timeOf(grant) >= grant.expiresAt) await this.renew();
    return this.held();
  }

  /**
   * Another access token than the one that an API call was refused with. Where a renewal has brought it meanwhile, none
   * is made.
   * @throws RelayError `storage_failed`
   */
  async replace(refused: string): Promise<AccessToken> {
    if (this.grants.current?.accessToken === refused) await this.renew();
    const held = this.held();
    if (held.kind === 'token' && held.token === refused) {
      return { kind: 'no_token', why: 'Co-Pilot refused the access token, and a new one could not be had' };
    }
    return held;
  }

  /** Renews now unless it is too early to try again, or the daemon stops. All who ask meanwhile wait for the same. @throws RelayError */
  renew(): Promise<void> {
    if (this.stopped && this.running === null) return Promise.resolve();
    this.running ??= this.attempt().finally(() => {
      this.running = null;
      this.grants.renewalEnded();
    });
    return this.running;
  }

  /** Only looks whether something is due; resolves once that is done, whatever became of it. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.stopped || this.running !== null || this.bounds.latest() < this.pausedUntil) return;
    try {
      await this.renewIfDue();
    } catch (error) {
      this.pausedUntil = this.bounds.latest() + OWN_FAULT_PAUSE_MS;
      this.log.error({ act: 'renew', err: error }, 'access token renewal failed on our side');
    }
  }

  /**
   * Begins no further renewal, and waits for the one under way until its tokens are stored: Co-Pilot may take the refresh
   * token that they replace no more.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running?.catch(() => undefined);
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  private held(): AccessToken {
    const grant = this.grants.current;
    if (grant === null) return { kind: 'no_token', why: 'Switchboard is not connected to Co-Pilot' };
    if (grant.state === 'consent_needed')
      return { kind: 'no_token', why: 'Co-Pilot no longer accepts the grant' };
    if (this.timeOf(grant) < grant.expiresAt) return { kind: 'token', token: grant.accessToken };
    return { kind: 'no_token', why: 'the access token has expired and could not be renewed' };
  }

  private async renewIfDue(): Promise<void> {
    await this.grants.storeAgain();
    const grant = this.grants.current;
    const due = grant === null ? null : renewalDueAt(grant);
    if (grant !== null && due !== null && this.timeOf(grant) >= due) await this.renew();
  }

  /** A token that cannot be renewed is given up only where it has expired for certain. */
  private timeOf({ refreshToken }: Grant): number {
    return refreshToken === null ? this.bounds.earliest() : this.bounds.latest();
  }

  private async attempt(): Promise<void> {
    const grant = this.grants.current;
    const startedAt = this.bounds.latest();
    if (grant === null || grant.state === 'consent_needed') return;
    if (grant.retryAt !== null && startedAt < grant.retryAt) return;
    if (grant.refreshToken === null) {
      await this.grants.keep({
        ...grant,
        state: 'consent_needed',
        problem: 'Co-Pilot gave no refresh token',
      });
      return;
    }
    await this.grants.markRenewal(startedAt);
    // Given up, or replaced, while the record was written.
    if (this.grants.current !== grant) return;
    const outcome = await this.endpoint.refresh(grant.refreshToken);
    // A consent given meanwhile has brought newer tokens; what was given up stays so.
    if (this.grants.current !== grant) return;
    const next = grantAfter(grant, outcome, this.bounds.latest(), this.random);
    await this.grants.keep(next);
    this.log[outcome.kind === 'tokens' ? 'info' : 'warn'](
      {
        act: 'renew',
        outcome: outcome.kind,
        why: next.problem,
        interrupted_at: grant.interruptedAt,
        duration_ms: this.bounds.latest() - startedAt,
        expires_at: next.expiresAt,
        failures: next.failures,
        retry_at: next.retryAt,
      },
      'access token renewal',
    );
  }
}
