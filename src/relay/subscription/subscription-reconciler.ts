import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { backOffMs } from '../connection/back-off';
import { Grants } from '../connection/grants';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { TimeBounds } from '../ground/time-bounds';
import { SerialQueue } from '../ground/serial-queue';
import { CHECK_INTERVAL_MS } from './check-age';
import { WebhookVerification } from './webhook-verification';
import { Drifts } from './drifts';
import { WebhookRegistration } from './webhook-registration';
import { isKeyExpired, type Registration } from './registration';
import { Registrations } from './registrations';
import { WebhookDeletion } from './webhook-deletion';
import { Rotation } from './rotation';
import { WebhookApi } from './webhook-api';

const TICK_MS = 500;
/**
 * Deleting a webhook may end its pending notifications: those in flight when its successor was created, and
 * retries from the time we were down (document, 6.3: 5 + 25 s). Both webhooks exist until these are
 * through.
 */
const RETRY_WINDOW_MS = 30_000;

/**
 * Keeps our webhook registered, exactly once. A registration is stored as `registering`, sent, then
 * `active`. If its outcome is unknown, it is searched before it is sent again. One that was deleted, or has
 * another URL, gets a successor with a new key, and is deleted once that is active.
 */
@Injectable()
export class SubscriptionReconciler implements OnModuleDestroy {
  private readonly queue = new SerialQueue();
  private pendingWork = 0;
  private reconciling: Promise<void> | null = null;
  private started = false;
  private stopped = false;
  /**
   * When to reconcile next, on the scale of `TimeBounds.latest`. Each run schedules the next, however it
   * ends.
   */
  private dueAt = 0;
  private failures = 0;
  /** `since` by monotonic time. */
  private currentSince: { id: number | null; since: number } = { id: null, since: 0 };

  constructor(
    private readonly registrations: Registrations,
    private readonly registration: WebhookRegistration,
    private readonly verification: WebhookVerification,
    private readonly rotation: Rotation,
    private readonly deletion: WebhookDeletion,
    private readonly drifts: Drifts,
    private readonly api: WebhookApi,
    private readonly grants: Grants,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    grants.onConnected(() => this.reconcileSoon());
  }

  /** Called once the daemon listens: only then is its URL known, and only then can Co-Pilot send to it. */
  start(): void {
    this.started = true;
    this.reconcileSoon();
  }

  /**
   * Reconciles as far as possible now. Concurrent callers share one run. @throws RelayError
   * `storage_failed`
   */
  ensureRegistered(): Promise<void> {
    this.reconciling ??= this.exclusively(() => this.reconcile()).finally(() => (this.reconciling = null));
    return this.reconciling;
  }

  /** Runs one operation on the registration at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.pendingWork += 1;
    return this.queue.run(work).finally(() => (this.pendingWork -= 1));
  }

  /** Deletes all our webhooks before a disconnect. @throws RelayError `storage_failed` */
  deleteWebhooks(): ReturnType<WebhookDeletion['deleteAll']> {
    return this.exclusively(async () => {
      const outcome = await this.deletion.deleteAll();
      // Must not be registered again until the tokens are deleted.
      if (typeof outcome === 'string') this.dueAt = this.bounds.latest() + CHECK_INTERVAL_MS;
      return outcome;
    });
  }

  /** Runs what is due; never rejects. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (!this.started || this.stopped || this.pendingWork > 0) return;
    const now = this.bounds.latest();
    if (now < this.dueAt && !this.registrations.all().some((one) => isKeyExpired(one, now))) return;
    try {
      await this.ensureRegistered();
    } catch (error) {
      this.log.error({ act: 'register', err: error }, 'reconciliation failed with an internal error');
    }
  }

  /** The webhook stays registered: Co-Pilot retries what it sends while we are down. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.queue.idle();
  }

  private reconcileSoon(): void {
    this.failures = 0;
    this.dueAt = 0;
    void this.tick();
  }

  /** The periodic runs never stop: a failed run schedules the next one too. */
  private async reconcile(): Promise<void> {
    this.dueAt = Number.POSITIVE_INFINITY;
    let waitMs: number | null = null;
    try {
      await this.deletion.expireKeys();
      if (!this.hasGrant || (await this.reconcileOnce())) waitMs = CHECK_INTERVAL_MS;
    } finally {
      this.failures = waitMs === null ? this.failures + 1 : 0;
      this.reconcileWithin(waitMs ?? this.retryDelayMs());
    }
  }

  /** Unless an earlier run is already scheduled, such as after a new consent. */
  private reconcileWithin(ms: number): void {
    this.dueAt = Math.min(this.dueAt, this.bounds.latest() + ms);
  }

  private retryDelayMs(): number {
    return Math.max(backOffMs(this.failures, this.random), this.api.requestedWaitMs);
  }

  /** Nothing can be done at Co-Pilot without a usable grant. */
  private get hasGrant(): boolean {
    const { current } = this.grants;
    return current !== null && current.state !== 'consent_needed';
  }

  /** @returns whether everything is in the desired state */
  private async reconcileOnce(): Promise<boolean> {
    let current = this.registrations.current();
    if (current === null || current.publicUrl !== this.address.url)
      current = await this.createSuccessor(current);
    if (current.state === 'active') {
      const outcome = await this.verification.verify(current);
      if (outcome === 'unclear') return false;
      if (outcome === 'gone') await this.recordDeletion(current);
      if (outcome === 'gone' || outcome === 'moved') current = await this.createSuccessor(current);
    }
    if (current.state !== 'active' && !(await this.register(current))) return false;
    const rotating = this.registrations.rotating();
    if (rotating !== null && !this.stopped && (await this.rotation.resume(rotating)).kind === 'unclear')
      return false;
    return this.stopped || this.deleteReplaced();
  }

  private async register(pending: Registration): Promise<boolean> {
    if (pending.deleteFirst && !(await this.deletion.deleteReplaced(this.registrations.replaced())))
      return false;
    if (this.stopped) return false;
    const outcome = await this.registration.register(pending);
    if (outcome.kind === 'active') return true;
    const { reason: problem, remedy } = outcome;
    const state = outcome.kind === 'refused' ? 'failed' : 'registering';
    await this.registrations.update(pending.id, { state, problem, remedy });
    this.log.warn(
      { act: 'register', subscription_id: pending.id, outcome: state, problem },
      'webhook registration failed',
    );
    return false;
  }

  private deleteReplaced(): Promise<boolean> {
    const waitMs = RETRY_WINDOW_MS - this.currentForMs();
    const isEarly = waitMs > 0;
    const replaced = this.registrations.replaced();
    // Retries to a former URL of ours can no longer succeed, so waiting for them is pointless.
    const deletable = replaced.filter(({ publicUrl }) => !isEarly || publicUrl !== this.address.url);
    if (deletable.length < replaced.length) this.reconcileWithin(waitMs);
    return this.deletion.deleteReplaced(deletable);
  }

  /** How long this process has known the current registration. */
  private currentForMs(): number {
    const now = this.clock.monotonic();
    const id = this.registrations.current()?.id ?? null;
    if (this.currentSince.id !== id) this.currentSince = { id, since: now };
    return now - this.currentSince.since;
  }

  private recordDeletion({ webhookId }: Registration): Promise<void> {
    return this.drifts.record({
      field: 'webhook',
      before: webhookId ?? 'registered',
      after: 'deleted',
      outcome: 'repaired',
    });
  }

  private async createSuccessor(predecessor: Registration | null): Promise<Registration> {
    const successor = await this.registrations.create(this.address.url);
    this.registration.markUnsent(successor);
    this.log.info(
      {
        act: 'register',
        subscription_id: successor.id,
        in_place_of: predecessor?.id ?? null,
        public_url: successor.publicUrl,
        outcome: 'begun',
      },
      'registration created',
    );
    return successor;
  }
}
