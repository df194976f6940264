import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { backOffMs } from '../connection/back-off';
import { GrantStore } from '../connection/grant.store';
import { Log } from '../ground/log';
import type { OnListening } from '../ground/on-listening';
import { Random } from '../ground/random';
import { SerialQueue } from '../ground/serial-queue';
import { SharedRun } from '../ground/shared-run';
import { TimeBounds } from '../ground/time-bounds';
import { CHECK_INTERVAL_MS } from './check-age';
import { Reconciliation } from './reconciliation';
import { isKeyExpired } from './registration';
import { RegistrationStore } from './registration.store';
import { WebhookApi } from './webhook-api';
import { WebhookDeletion } from './webhook-deletion';

const TICK_MS = 500;

/**
 * Runs the reconciliation: at startup, after a consent, at intervals, with back-off after a failure. All operations
 * on the registration run in its queue, one at a time.
 */
@Injectable()
export class SubscriptionWorker implements OnListening, OnModuleDestroy {
  private readonly queue = new SerialQueue();
  private pendingWork = 0;
  private readonly runs = new SharedRun(() => this.exclusively(() => this.reconcile()));
  private started = false;
  private readonly shutdown = new AbortController();
  /** When to reconcile next, on the scale of `TimeBounds.latest`. Each run schedules the next, however it ends. */
  private dueAt = 0;
  private failures = 0;

  constructor(
    private readonly reconciliation: Reconciliation,
    private readonly registrations: RegistrationStore,
    private readonly deletion: WebhookDeletion,
    private readonly api: WebhookApi,
    private readonly grants: GrantStore,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    grants.onConnected(() => this.reconcileSoon());
  }

  onListening(): void {
    this.started = true;
    this.reconcileSoon();
  }

  /** Reconciles as far as possible now. Concurrent callers share one run. @throws RelayError `storage_failed` */
  ensureRegistered(): Promise<void> {
    return this.runs.run();
  }

  /** Reconciles with what is at Co-Pilot now, even if a run is in progress. @throws RelayError `storage_failed` */
  checkNow(): Promise<void> {
    return this.runs.runAnew();
  }

  /** Runs one operation on the registration at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.pendingWork += 1;
    return this.queue.run(work).finally(() => (this.pendingWork -= 1));
  }

  /** Delays the next run by the usual interval. */
  postpone(): void {
    this.dueAt = this.bounds.latest() + CHECK_INTERVAL_MS;
  }

  /** Runs what is due; never rejects. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (!this.started || this.shutdown.signal.aborted || this.pendingWork > 0) return;
    const now = this.bounds.latest();
    if (now < this.dueAt && !this.registrations.all().some((one) => isKeyExpired(one, now))) return;
    try {
      await this.ensureRegistered();
    } catch (error) {
      this.log.error({ action: 'register', err: error }, 'reconciliation failed with an internal error');
    }
  }

  /** The webhook stays registered: Co-Pilot retries what it sends while we are down. */
  async onModuleDestroy(): Promise<void> {
    this.shutdown.abort();
    await this.queue.idle();
  }

  private reconcileSoon(): void {
    this.failures = 0;
    this.dueAt = 0;
    void this.tick();
  }

  private async reconcile(): Promise<void> {
    this.dueAt = Number.POSITIVE_INFINITY;
    let succeeded = false;
    try {
      await this.deletion.expireKeys();
      succeeded = !this.grants.isUsable || (await this.reconcileOnce());
    } finally {
      this.failures = succeeded ? 0 : this.failures + 1;
      this.reconcileWithin(succeeded ? CHECK_INTERVAL_MS : this.retryDelayMs());
    }
  }

  private async reconcileOnce(): Promise<boolean> {
    const { succeeded, nextStepMs } = await this.reconciliation.run(this.shutdown.signal);
    if (nextStepMs !== null) this.reconcileWithin(nextStepMs);
    return succeeded;
  }

  /** Unless an earlier run is already scheduled, such as after a new consent. */
  private reconcileWithin(ms: number): void {
    this.dueAt = Math.min(this.dueAt, this.bounds.latest() + ms);
  }

  private retryDelayMs(): number {
    return Math.max(backOffMs(this.failures, this.random), this.api.requestedWaitMs);
  }
}
