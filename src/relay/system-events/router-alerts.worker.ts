import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { formatCount } from '../ground/format-count';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { RouterWorker } from '../router/router.worker';

const CHECK_INTERVAL_MS = 10_000;
const BEHIND_AFTER_MS = 60_000;
const BEHIND = 'relay.router.behind';

/** Raises an alert while events are not evaluated for a minute that routed targets may have to receive. */
@Injectable()
export class RouterAlertsWorker implements OnModuleDestroy {
  /** The newest event at a check, and when that was, by monotonic time; null if nothing was left to evaluate. */
  private awaited: { seq: number; at: number } | null = null;
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'router alerts failed'),
  );

  constructor(
    private readonly router: RouterWorker,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  tick(): Promise<void> {
    return this.checks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private async check(): Promise<void> {
    const lag = await this.router.lag();
    const at = this.clock.monotonic();
    if (lag === null || lag.position >= (this.awaited?.seq ?? 0)) {
      this.awaited = lag !== null && lag.newest > lag.position ? { seq: lag.newest, at } : null;
      this.alerts.resolve(BEHIND, '', 'The events are evaluated again, or no filter compares any more.');
    } else if (at - this.awaited!.at >= BEHIND_AFTER_MS) this.raise(behind(lag.newest - lag.position));
  }

  private raise(alert: Alert): void {
    if (!this.alerts.active().some(({ type }) => type === alert.type)) this.alerts.raise(alert);
  }
}

const behind = (lag: number): Alert => ({
  type: BEHIND,
  subject: '',
  severity: 'warning',
  sentence: `${formatCount(lag)} events wait to be compared with the state before, some for more than a minute: targets whose filter does so do not receive them yet.`,
  remedy:
    'Look for "could not be routed" in the log, and for what else keeps the database busy. Nothing is lost; other targets are not affected.',
  data: { lag },
});
