import { Injectable } from '@nestjs/common';
import type { Drift, Subscription } from '../../contract/subscription';
import { ActiveKeys, type ActiveKey } from './active-keys';
import { CheckAge, type CheckState } from './check-age';
import { describeSubscription } from './describe-subscription';
import { Drifts } from './drifts';
import { UnknownWebhooks } from './unknown-webhooks';
import { OperatorActions } from './operator-actions';
import { SubscriptionReconciler } from './subscription-reconciler';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';

/** Fields of the subscription that other features provide. */
export type StateExtension = () => Partial<Pick<Subscription, 'silence' | 'probe'>>;

/** The subscription for the rest of the relay. */
@Injectable()
export class SubscriptionService {
  private readonly extensions: StateExtension[] = [];
  private readonly changeListeners: (() => void)[] = [];

  constructor(
    private readonly registrations: Registrations,
    private readonly reconciler: SubscriptionReconciler,
    private readonly actions: OperatorActions,
    private readonly keys: ActiveKeys,
    private readonly drifts: Drifts,
    private readonly unknown: UnknownWebhooks,
    private readonly reported: ReportedWebhooks,
    private readonly checkAge: CheckAge,
  ) {
    registrations.onChange(() => this.notifyChanged());
    drifts.onDrift(() => this.notifyChanged());
  }

  /** The subscription as the API shows it, with the key masked. */
  state(): Subscription {
    const description = describeSubscription({
      current: this.registrations.current(),
      checkOverdue: this.checkState === 'overdue',
      rotating: this.registrations.rotating(),
      replaced: this.registrations.replaced(),
      drift: this.drifts.all(),
      unknown: this.unknown.all(),
      reported: this.reported.all(),
      lastNotificationAt: this.keys.lastNotification,
    });
    return Object.assign(description, ...this.extensions.map((addition) => addition()));
  }

  /** Whether our webhook was recently seen at Co-Pilot. */
  get checkState(): CheckState {
    return this.checkAge.state;
  }

  /** Adds fields to `state()`; the provider reports their changes with `notifyChanged`. */
  extendState(extension: StateExtension): void {
    this.extensions.push(extension);
  }

  /** Called after each change of `state()`, once it is stored. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  notifyChanged(): void {
    for (const listener of this.changeListeners) listener();
  }

  /** Called for each drift, once it is stored. */
  onDrift(listener: (drift: Drift) => void): void {
    this.drifts.onDrift(listener);
  }

  /** Called once a rotation has replaced the webhook. */
  onRotated(listener: () => void): void {
    this.registrations.onRotated(listener);
  }

  /**
   * Deletes our webhooks at Co-Pilot before a disconnect. `nothing`: there was none. If one could not be
   * deleted, `failed` says why, and it is kept.
   * @throws RelayError `storage_failed`
   */
  deleteWebhooks(): Promise<'removed' | 'nothing' | { failed: string }> {
    return this.reconciler.deleteWebhooks();
  }

  /** Called once the daemon listens: only then is its URL known, and only then can Co-Pilot send to it. */
  start(): void {
    this.reconciler.start();
  }

  /** Reconciles the registration as far as possible now. @throws RelayError `storage_failed` */
  ensureRegistered(): Promise<void> {
    return this.reconciler.ensureRegistered();
  }

  /** Checks and repairs the webhook now. @throws RelayError see {@link OperatorActions} */
  repair(): Promise<void> {
    return this.actions.repair();
  }

  /**
   * Replaces key and secret. With `deleteFirst`, events that occur in between are lost. @throws RelayError
   * see {@link OperatorActions}
   */
  rotate(deleteFirst: boolean): Promise<void> {
    return this.actions.rotate(deleteFirst);
  }

  /** Pauses or resumes sending at Co-Pilot. @throws RelayError see {@link OperatorActions} */
  setPaused(paused: boolean): Promise<void> {
    return this.actions.setPaused(paused);
  }

  /**
   * Deletes a webhook at Co-Pilot that is known only from notifications. @throws RelayError see {@link
   * OperatorActions}
   */
  deleteReported(webhookId: string): Promise<void> {
    return this.actions.deleteReported(webhookId);
  }

  /** For the hot path: in memory, synchronous. */
  byKey(key: string): ActiveKey | null {
    return this.keys.byKey(key);
  }

  /** The keys a quarantined notification may be verified with, the likeliest first. */
  verificationKeys(subscriptionId: number): ActiveKey[] {
    return this.keys.verificationKeys(subscriptionId);
  }

  /** Stores the header in which the HMAC was found. */
  learnSignatureHeader(subscriptionId: number, header: string): void {
    this.keys.learnSignatureHeader(subscriptionId, header);
  }

  /** A verified notification arrived at `at` (ms since 1970), with the webhook id it contains, if any. */
  recordNotification(subscriptionId: number, at: number, webhookId: string | null): void {
    this.keys.recordNotification(subscriptionId, at, webhookId);
  }
}
