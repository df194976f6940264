import { Injectable } from '@nestjs/common';
import type { Drift, Subscription } from '../../contract/subscription';
import { ActiveKeys, type ActiveKey } from './active-keys';
import { CheckAge, type CheckState } from './check-age';
import { describeSubscription } from './describe-subscription';
import { Drifts } from './drifts';
import { ForeignWebhooks } from './unknown-webhooks';
import { OperatorActs } from './operator-acts';
import { Registrar } from './subscription-reconciler';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';

/** What others know of the subscription and is shown with it. */
export type Addition = () => Partial<Pick<Subscription, 'silence' | 'probe'>>;

/** The subscription as the rest of the relay sees it. */
@Injectable()
export class SubscriptionService {
  private readonly additions: Addition[] = [];
  private readonly changeListeners: (() => void)[] = [];

  constructor(
    private readonly registrations: Registrations,
    private readonly registrar: Registrar,
    private readonly acts: OperatorActs,
    private readonly keys: ActiveKeys,
    private readonly drifts: Drifts,
    private readonly foreign: ForeignWebhooks,
    private readonly reported: ReportedWebhooks,
    private readonly checkAge: CheckAge,
  ) {
    registrations.onChange(() => this.tellChange());
    drifts.onDrift(() => this.tellChange());
  }

  /** The subscription in plain words, the key masked. */
  state(): Subscription {
    const own = describeSubscription({
      present: this.registrations.current(),
      checkOverdue: this.checkState === 'overdue',
      rotating: this.registrations.rotating(),
      replaced: this.registrations.replaced(),
      drift: this.drifts.all(),
      foreign: this.foreign.all(),
      reported: this.reported.all(),
      lastNotificationAt: this.keys.lastNotification,
    });
    return Object.assign(own, ...this.additions.map((addition) => addition()));
  }

  /** Whether our webhook was found at Co-Pilot of late. */
  get checkState(): CheckState {
    return this.checkAge.state;
  }

  /** Shows also what `addition` says; who adds tells of its changes with `tellChange`. */
  showAlso(addition: Addition): void {
    this.additions.push(addition);
  }

  /** Told after each change of `state()` that is stored, once it is on disk. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  tellChange(): void {
    for (const listener of this.changeListeners) listener();
  }

  /** Told of each drift, once it is on disk. */
  onDrift(listener: (drift: Drift) => void): void {
    this.drifts.onDrift(listener);
  }

  /** Told once a rotation has brought a new webhook in place of the one before. */
  onRotated(listener: () => void): void {
    this.registrations.onRotated(listener);
  }

  /**
   * Deletes our webhooks at Co-Pilot, for a connection that is about to be given up. `nothing`: there was none. Where one
   * could not be deleted, `failed` says why, and it stays ours.
   * @throws RelayError `storage_failed`
   */
  remove(): Promise<'removed' | 'nothing' | { failed: string }> {
    return this.registrar.remove();
  }

  /** To be called once the daemon listens: only then is its address known, and only then can Co-Pilot send to it. */
  start(): void {
    this.registrar.start();
  }

  /** Brings the registration to what is wanted, as far as it goes now. @throws RelayError `storage_failed` */
  ensureRegistered(): Promise<void> {
    return this.registrar.ensureRegistered();
  }

  /** Looks at once, and sets right. @throws RelayError see {@link OperatorActs} */
  repair(): Promise<void> {
    return this.acts.repair();
  }

  /** A new key and secret. `deleteFirst`: what happens meanwhile is lost. @throws RelayError see {@link OperatorActs} */
  rotate(deleteFirst: boolean): Promise<void> {
    return this.acts.rotate(deleteFirst);
  }

  /** Has Co-Pilot stop sending, or go on. @throws RelayError see {@link OperatorActs} */
  setPaused(paused: boolean): Promise<void> {
    return this.acts.setPaused(paused);
  }

  /** Deletes a webhook at Co-Pilot that only notifications have told of. @throws RelayError see {@link OperatorActs} */
  deleteReported(webhookId: string): Promise<void> {
    return this.acts.deleteReported(webhookId);
  }

  /** For the hot path: in memory, without waiting. */
  byKey(key: string): ActiveKey | null {
    return this.keys.byKey(key);
  }

  /** Whose secret a notification that was kept aside may be verified with, the likeliest first. */
  toVerify(subscriptionId: number): ActiveKey[] {
    return this.keys.toVerify(subscriptionId);
  }

  /** The header in which the HMAC was found; to be told with each notification, or with those where it is another. */
  learnSignatureHeader(subscriptionId: number, header: string): void {
    this.keys.learnSignatureHeader(subscriptionId, header);
  }

  /** A verified notification arrived at `at` (ms since 1970); `webhookId` is the one that it names, if it does. */
  noteNotification(subscriptionId: number, at: number, webhookId: string | null): void {
    this.keys.noteNotification(subscriptionId, at, webhookId);
  }
}
