import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { AlertsService } from '../events/alerts.service';
import { CheckAge } from '../subscription/check-age';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** After a suspension of the machine, the overdue check gets this much time before an alert is raised. */
const STABLE_AFTER_MS = 10_000;

/** How often the alert is raised again while the check is overdue. */
const RAISE_INTERVAL_MS = 300_000;

const UNCHECKED = 'relay.subscription.unchecked';

const RESOLVED = {
  recent: 'The webhook was found at Co-Pilot again.',
  none: 'There is no webhook to check any more.',
};

/** Raises an alert when it is unknown whether our webhook still exists at Co-Pilot. */
@Injectable()
export class SubscriptionAlertsWorker {
  /** When to raise the alert next, by monotonic time; null while the check is not overdue. */
  private raiseAt: number | null = null;

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly checkAge: CheckAge,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
  ) {}

  @Interval(TICK_MS)
  tick(): void {
    const { state } = this.checkAge;
    if (state === 'overdue') return this.raise();
    this.raiseAt = null;
    // An alert that was raised before a restart stays until the first check has completed.
    if (state !== 'pending') this.alerts.resolve(UNCHECKED, '', RESOLVED[state]);
  }

  private raise(): void {
    const now = this.clock.monotonic();
    this.raiseAt ??= now + STABLE_AFTER_MS;
    if (now < this.raiseAt) return;
    this.raiseAt = now + RAISE_INTERVAL_MS;
    const { sentence, remedy, checked_at } = this.subscription.state();
    this.alerts.raise({
      type: UNCHECKED,
      subject: '',
      severity: 'warning',
      sentence,
      remedy: remedy ?? 'Check the connection, and what Co-Pilot responds.',
      data: { checked_at },
    });
  }
}
