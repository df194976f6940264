import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { isLost, type LostReason, type NotStoredReason, type Stats } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { LeaderLink } from '../ground/leader-link';
import { Leadership } from '../ground/leadership';
import { describeStorageFault } from '../database/journal/storage-fault';
import { AlertsService } from '../events/alerts.service';
import { Log } from '../ground/log';
import { Signal } from '../ground/signal';
import { Settings } from '../settings/settings';
import { AckMeter } from './ack-meter';
import { notStoredAlert } from './not-stored-alert';

const REPORT_INTERVAL_MS = 1_000;
/** Longer than the delays between Co-Pilot's attempts, so that one of each notification falls into the same period. */
const PERIOD_ENDS_AFTER_MS = 60_000;

/**
 * Counts the requests to `/hooks/` that were not stored, and reports the counts at most once a second, since a full
 * disk causes thousands. Only requests with a valid key raise an alert: anybody can send others.
 */
@Injectable()
export class NotStoredWorker implements OnModuleDestroy {
  private readonly totals = new Map<NotStoredReason, { count: number; lastAt: number }>();
  /** Counts since the last report, by reason and cause. */
  private unreported = new Map<
    string,
    { reason: NotStoredReason; cause: string | undefined; count: number }
  >();
  private readonly losses = new Signal<[LostReason]>();
  /** The periods in which notifications were not stored, by monotonic time. */
  private readonly periods = new Map<LostReason, { since: number; lastAt: number }>();

  constructor(
    private readonly meter: AckMeter,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly leadership: Leadership,
    private readonly leaderLink: LeaderLink,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    leaderLink.onMessage((message) => {
      if (message.kind !== 'not_stored') return;
      this.count(message.reason, message.count);
      this.raise(message.reason, message.cause, message.count);
    });
  }

  /** @param cause the engine's code of a database error */
  add(reason: NotStoredReason, cause?: string): void {
    this.count(reason, 1);
    if (isLost(reason)) this.meter.count('not_stored', 0);
    const reasonAndCause = cause === undefined ? reason : `${reason} ${cause}`;
    const count = this.unreported.get(reasonAndCause)?.count ?? 0;
    this.unreported.set(reasonAndCause, { reason, cause, count: count + 1 });
  }

  private count(reason: NotStoredReason, more: number): void {
    const before = this.totals.get(reason)?.count ?? 0;
    this.totals.set(reason, { count: before + more, lastAt: this.clock.now() });
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
    const notStored = Object.fromEntries(Array.from(unreported, ([name, { count }]) => [name, count]));
    const withValidKey = [...unreported.values()].flatMap(({ reason, ...counted }) =>
      isLost(reason) ? [{ reason, ...counted }] : [],
    );
    this.log[withValidKey.length > 0 ? 'error' : 'warn'](
      { not_stored: notStored },
      'requests to /hooks/ not stored',
    );
    for (const { reason, cause, count } of withValidKey)
      if (this.leadership.leads) this.raise(reason, cause, count);
      else this.leaderLink.send({ kind: 'not_stored', reason, cause, count });
  }

  /** Calls `listener`, at the leader, when notifications were not stored for a reason, on any daemon. */
  onLost(listener: (reason: LostReason) => void): void {
    this.losses.subscribe(listener);
  }

  private raise(reason: LostReason, cause: string | undefined, count: number): void {
    this.losses.emit(reason);
    const now = this.clock.monotonic();
    const known = this.periods.get(reason);
    const since = known !== undefined && now - known.lastAt < PERIOD_ENDS_AFTER_MS ? known.since : now;
    this.periods.set(reason, { since, lastAt: now });
    const fault = describeStorageFault(cause ?? '', this.settings);
    this.alerts.raise(notStoredAlert(reason, fault, now - since), count);
  }

  onModuleDestroy(): void {
    this.report();
  }
}
