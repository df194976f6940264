import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Subscription } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { SubscriptionService } from '../subscription/subscription.service';
import { describeOutage, type OutageRow } from './describe-outage';
import { ExpectedTraffic } from './expected-traffic';
import { Heartbeat } from './heartbeat';
import { classifySilence } from './classify-silence';
import { Outages } from './outages';
import { TrafficBaseline } from './traffic-baseline';

const CHECK_INTERVAL_MS = 10_000;

/**
 * Records an outage when nothing has arrived for unusually long, and ends it with the next notification, or
 * when none are expected any more. Uses counts in memory, outside the hot path.
 */
@Injectable()
export class SilenceDetector implements OnModuleDestroy {
  private open: OutageRow | null = null;
  /**
   * When the current silence began, by monotonic time: with the last notification, or when notifications
   * were first expected again.
   */
  private since: number | null = null;
  /** When a notification arrived that ends the recorded silence, in ms since 1970. */
  private notificationAt: number | null = null;
  private work: Promise<void> = Promise.resolve();
  private isLoaded = false;
  private started = false;

  constructor(
    private readonly baseline: TrafficBaseline,
    private readonly expectedTraffic: ExpectedTraffic,
    private readonly outages: Outages,
    private readonly subscription: SubscriptionService,
    private readonly journal: Journal,
    private readonly heartbeat: Heartbeat,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    subscription.extendState(() => ({ silence: this.current }));
    heartbeat.onResumed(() => (this.since = this.clock.monotonic()));
    baseline.onNotification((at) => this.endSilence(at));
  }

  /** Called once the daemon listens. */
  start(): void {
    this.started = true;
    void this.check();
  }

  @Interval(CHECK_INTERVAL_MS)
  check(): Promise<void> {
    return this.inTurn(() => this.detect());
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    await this.work;
  }

  private get current(): Subscription['silence'] {
    if (this.open === null) return null;
    const { began_at: since, sentence } = describeOutage(this.open, this.clock.now());
    return { since, usual_seconds: this.open.usual_seconds ?? 0, sentence };
  }

  /** The window before startup comes first: it shows whether an earlier silence continues. */
  private async load(): Promise<void> {
    await this.heartbeat.tick();
    this.open = await this.outages.openSilence();
    const { lastNotificationAt: last } = this.baseline;
    if (last !== null && this.open !== null && last > this.open.began_at) this.notificationAt ??= last;
    if (last !== null) this.since ??= this.clock.monotonic() - Math.max(0, this.clock.now() - last);
    this.isLoaded = true;
  }

  private endSilence(at: number): void {
    this.since = this.clock.monotonic();
    this.notificationAt = at;
    if (this.open !== null) void this.inTurn(() => this.end(at));
  }

  private async detect(): Promise<void> {
    if (!this.isLoaded) await this.load();
    const now = this.clock.now();
    if (!this.expectedTraffic.current) {
      this.since = null;
      await this.end(now);
      return;
    }
    // Durations are monotonic, even if the wall clock was set meanwhile.
    const monotonic = this.clock.monotonic();
    this.since ??= monotonic;
    const since = Math.round(now - (monotonic - this.since));
    if (this.open !== null) {
      if (this.notificationAt !== null) await this.end(this.notificationAt);
      return;
    }
    const usualMs = classifySilence(this.baseline.counts, since, now);
    if (usualMs === null) return;
    this.notificationAt = null;
    await this.journal.change(
      this.outages.insertStatements({
        kind: 'silence',
        began_at: since,
        ended_at: null,
        usual_seconds: Math.max(1, Math.round(usualMs / 1_000)),
      }),
    );
    await this.refresh();
  }

  private async end(at: number): Promise<void> {
    if (this.open === null) return;
    const { id, began_at: beganAt } = this.open;
    await this.journal.change([
      ['UPDATE outages SET ended_at = ? WHERE id = ? AND ended_at IS NULL', [Math.max(at, beganAt), id]],
    ]);
    await this.refresh();
  }

  private async refresh(): Promise<void> {
    this.open = await this.outages.openSilence();
    this.subscription.notifyChanged();
    await this.outages.publish();
  }

  /** Runs one at a time; what fails is retried at the next check. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    if (!this.started) return this.work;
    this.work = this.work
      .then(work)
      .catch((error: unknown) => this.log.error({ err: error }, 'silence not recorded'));
    return this.work;
  }
}
