import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { NotStoredReason, Stats } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { Log } from '../ground/log';
import { AckMeter } from './ack-meter';
import { refusalAlert } from './describe-refusal';

const REPORT_INTERVAL_MS = 1_000;

/**
 * Counts requests to `/hooks/` that were not stored, and reports them at most once a second: a full disk
 * refuses thousands. Requests with a valid key raise an alert; anybody can send others.
 */
@Injectable()
export class RefusedNotifications implements OnModuleDestroy {
  private readonly totals = new Map<NotStoredReason, { count: number; lastAt: number }>();
  /** By reason and cause. */
  private unreported = new Map<string, { reason: NotStoredReason; count: number }>();

  constructor(
    private readonly meter: AckMeter,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @param cause SQLite's code of a database error */
  add(reason: NotStoredReason, cause?: string): void {
    const before = this.totals.get(reason)?.count ?? 0;
    this.totals.set(reason, { count: before + 1, lastAt: this.clock.now() });
    if (reason !== 'unknown_key') this.meter.count('refused', 0);
    const name = cause === undefined ? reason : `${reason} ${cause}`;
    const count = this.unreported.get(name)?.count ?? 0;
    this.unreported.set(name, { reason, count: count + 1 });
  }

  /** Since startup, the latest first. */
  get sinceStart(): Stats['not_stored'] {
    return [...this.totals]
      .toSorted(([, one], [, other]) => other.lastAt - one.lastAt)
      .map(([reason, { count, lastAt }]) => ({ reason, count, last_at: new Date(lastAt).toISOString() }));
  }

  @Interval(REPORT_INTERVAL_MS)
  report(): void {
    if (this.unreported.size === 0) return;
    const { unreported } = this;
    this.unreported = new Map();
    const refused = Object.fromEntries(Array.from(unreported, ([name, { count }]) => [name, count]));
    const ours = [...unreported.values()].flatMap(({ reason, count }) =>
      reason === 'unknown_key' ? [] : [{ reason, count }],
    );
    this.log[ours.length > 0 ? 'error' : 'warn']({ refused }, 'requests to /hooks/ not stored');
    for (const { reason, count } of ours) this.alerts.raise(refusalAlert(reason), count);
  }

  onModuleDestroy(): void {
    this.report();
  }
}
