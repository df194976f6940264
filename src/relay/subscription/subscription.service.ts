import { Injectable } from '@nestjs/common';
import type { Subscription } from '../../contract/subscription';
import { ActiveKeys, type ActiveKey } from './active-keys';
import { describeSubscription } from './describe-subscription';
import { Registrar } from './registrar';
import { Registrations } from './registrations';

/** The subscription as the rest of the relay sees it. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly registrations: Registrations,
    private readonly registrar: Registrar,
    private readonly keys: ActiveKeys,
  ) {}

  /** The subscription in plain words, the key masked. */
  state(): Subscription {
    return describeSubscription(this.registrations.current(), this.keys.lastNotification);
  }

  /** Told after each change of `state()` that is stored, once it is on disk. */
  onChange(listener: () => void): void {
    this.registrations.onChange(listener);
  }

  /** To be called once the daemon listens: only then is its address known, and only then can Co-Pilot send to it. */
  start(): void {
    this.registrar.start();
  }

  /** Brings the registration to what is wanted, as far as it goes now. @throws RelayError `storage_failed` */
  ensureRegistered(): Promise<void> {
    return this.registrar.ensureRegistered();
  }

  /** For the hot path: in memory, without waiting. */
  byKey(key: string): ActiveKey | null {
    return this.keys.byKey(key);
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
