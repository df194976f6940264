import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** After a machine has slept the check that is due by then comes first. */
const SETTLED_MS = 10_000;

/** As often as a check is missed. */
const RAISED_EVERY_MS = 300_000;

const UNCHECKED = 'relay.subscription.unchecked';

const RESOLVED = {
  recent: 'Our webhook was found at Co-Pilot again.',
  none: 'There is no webhook of ours any more that could be checked.',
};

/** Raises an alert where it is not known any more whether our webhook still stands at Co-Pilot. */
@Injectable()
export class WatchSubscription {
  /** When to raise it next, by monotonic time; null while all is well. */
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
    // What was raised before a start stays until it is known to be over.
    if (checkState !== 'pending') this.alerts.resolve(UNCHECKED, '', RESOLVED[checkState]);
  }

  private raise(): void {
    const now = this.clock.monotonic();
    this.raiseAt ??= now + SETTLED_MS;
    if (now < this.raiseAt) return;
    this.raiseAt = now + RAISED_EVERY_MS;
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
      remedy: remedy ?? 'Look at the connection, and at what Co-Pilot answers.',
    });
  }
}
