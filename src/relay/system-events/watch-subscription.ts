import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** After a suspend, the overdue check runs first. */
const STABLE_AFTER_MS = 10_000;

/** The interval of the checks. */
const RAISE_INTERVAL_MS = 300_000;

const UNCHECKED = 'relay.subscription.unchecked';

const RESOLVED = {
  recent: 'The webhook was found at Co-Pilot again.',
  none: 'There is no webhook to check any more.',
};

/** Raises an alert when it is unknown whether our webhook still exists at Co-Pilot. */
@Injectable()
export class WatchSubscription {
  /** When to raise it next, by monotonic time; null while there is no problem. */
  private raiseAt: number | null = null;

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
  ) {}

  @Interval(TICK_MS)
  tick(): void {
    const { checkState } = this.subscription;
    if (checkState === 'overdue') return this.raise();
    this.raiseAt = null;
    // An alert raised before a restart stays until its end is known.
    if (checkState !== 'pending') this.alerts.resolve(UNCHECKED, '', RESOLVED[checkState]);
  }

  private raise(): void {
    const now = this.clock.monotonic();
    this.raiseAt ??= now + STABLE_AFTER_MS;
    if (now < this.raiseAt) return;
    this.raiseAt = now + RAISE_INTERVAL_MS;
    const { sentence, remedy, checked_at } = this.subscription.state();
    const alert = {
      type: UNCHECKED,
      subject: '',
      severity: 'warning',
      sentence,
      data: { checked_at },
    } as const;
    this.alerts.raise({
      ...alert,
      remedy: remedy ?? 'Check the connection, and what Co-Pilot responds.',
    });
  }
}
