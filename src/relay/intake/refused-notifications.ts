import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { NotStoredReason, Stats } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { Log } from '../ground/log';
import { AckMeter } from './ack-meter';
import { alertOf } from './describe-refusal';

const TELL_EVERY_MS = 1_000;

/**
 * Counts what came to `/hooks/` and was not stored, and tells of it once a second at most: a disk that is full refuses
 * thousands. What came under a key of ours raises an alert; anybody can send something under another one.
 */
@Injectable()
export class RefusedNotifications implements OnModuleDestroy {
  private readonly totals = new Map<NotStoredReason, { count: number; lastAt: number }>();
  /** By reason and cause. */
  private untold = new Map<string, { reason: NotStoredReason; count: number }>();

  constructor(
    private readonly meter: AckMeter,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @param cause of a fault of the database, SQLite's code */
  add(reason: NotStoredReason, cause?: string): void {
    const before = this.totals.get(reason)?.count ?? 0;
    this.totals.set(reason, { count: before + 1, lastAt: this.clock.now() });
    if (reason !== 'unknown_key') this.meter.count('refused', 0);
    const name = cause === undefined ? reason : `${reason} ${cause}`;
    const count = this.untold.get(name)?.count ?? 0;
    this.untold.set(name, { reason, count: count + 1 });
  }

  /** Since the start, the latest first. */
  get sinceStart(): Stats['not_stored'] {
    return [...this.totals]
      .toSorted(([, one], [, other]) => other.lastAt - one.lastAt)
      .map(([reason, { count, lastAt }]) => ({ reason, count, last_at: new Date(lastAt).toISOString() }));
  }

  @Interval(TELL_EVERY_MS)
  tell(): void {
    if (this.untold.size === 0) return;
    const { untold } = this;
    this.untold = new Map();
    const refused = Object.fromEntries(Array.from(untold, ([name, { count }]) => [name, count]));
    const ours = [...untold.values()].flatMap(({ reason, count }) =>
      reason === 'unknown_key' ? [] : [{ reason, count }],
    );
    this.log[ours.length > 0 ? 'error' : 'warn']({ refused }, 'requests to /hooks/ not stored');
    for (const { reason, count } of ours) this.alerts.raise(alertOf(reason), count);
  }

  onModuleDestroy(): void {
    this.tell();
  }
}
