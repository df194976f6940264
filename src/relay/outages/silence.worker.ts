import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Subscription } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { Log } from '../ground/log';
import { describeOutage, type OutageRow } from './describe-outage';
import { ExpectedTraffic } from './expected-traffic';
import { HeartbeatWorker } from './heartbeat.worker';
import { detectSilence } from './detect-silence';
import { OutageStore } from './outage.store';
import { TrafficBaseline } from './traffic-baseline';
import type { OnListening } from '../ground/on-listening';
import { SerialQueue } from '../ground/serial-queue';
import { Signal } from '../ground/signal';

const CHECK_INTERVAL_MS = 10_000;

/**
 * Records an outage when no notification has arrived for an unusually long time. It ends with the next notification,
 * or when no more are expected. Works on counts in memory, so notifications are not delayed.
 */
@Injectable()
export class SilenceWorker implements OnListening, OnModuleDestroy {
  private open: OutageRow | null = null;
  /** By monotonic time, when the last notification arrived or the first was expected; null while none are expected. */
  private quietSince: number | null = null;
  /**
   * When the last notification arrived, in ms since 1970; null if none has since the recorded silence began. If that
   * end could not be stored, the next check tries again.
   */
  private lastNotificationAt: number | null = null;
  private readonly queue = new SerialQueue();
  private isLoaded = false;
  private started = false;
  private readonly changes = new Signal();

  constructor(
    private readonly baseline: TrafficBaseline,
    private readonly expectedTraffic: ExpectedTraffic,
    private readonly outages: OutageStore,
    private readonly journal: Journal,
    private readonly heartbeat: HeartbeatWorker,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    heartbeat.onResumed(() => (this.quietSince = this.clock.monotonic()));
    baseline.onNotification((at) => this.recordNotification(at));
  }

  onListening(): void {
    this.started = true;
    void this.check();
  }

  @Interval(CHECK_INTERVAL_MS)
  check(): Promise<void> {
    return this.enqueue(() => this.detect());
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    await this.queue.idle();
  }

  /** The silence that is recorded and has not ended, or null. */
  get current(): Subscription['silence'] {
    if (this.open === null) return null;
    const { began_at: beganAt, sentence } = describeOutage(this.open, this.clock.now());
    return { since: beganAt, usual_seconds: this.open.usual_seconds ?? 0, sentence };
  }

  /** Calls `listener` after each change of `current`, once it is stored. */
  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  /** Continues where the previous process stopped. First the heartbeat, which detects the downtime in between. */
  private async load(): Promise<void> {
    await this.heartbeat.tick();
    this.open = await this.outages.open('silence');
    const { lastNotificationAt: last } = this.baseline;
    // The previous process may have stopped before it stored the end of the silence.
    if (last !== null && this.open !== null && last > this.open.began_at) this.lastNotificationAt ??= last;
    // The same time on the monotonic clock of this process.
    if (last !== null) this.quietSince ??= this.clock.monotonic() - Math.max(0, this.clock.now() - last);
    this.isLoaded = true;
  }

  private recordNotification(at: number): void {
    this.quietSince = this.clock.monotonic();
    this.lastNotificationAt = at;
    if (this.open !== null) void this.enqueue(() => this.endSilence(at));
  }

  private async detect(): Promise<void> {
    if (!this.isLoaded) await this.load();
    const now = this.clock.now();
    if (!this.expectedTraffic.current) {
      this.quietSince = null;
      await this.endSilence(now);
      return;
    }
    // The duration is measured in monotonic time, in case the wall clock was set meanwhile.
    const monotonic = this.clock.monotonic();
    this.quietSince ??= monotonic;
    const quietMs = monotonic - this.quietSince;
    const beganAt = Math.round(now - quietMs);
    if (this.open !== null) {
      if (this.lastNotificationAt !== null) await this.endSilence(this.lastNotificationAt);
      return;
    }
    const usualIntervalMs = detectSilence(this.baseline.counts, beganAt, now);
    if (usualIntervalMs === null) return;
    this.lastNotificationAt = null;
    await this.journal.change({
      statements: await this.outages.add({
        kind: 'silence',
        began_at: beganAt,
        ended_at: null,
        usual_seconds: Math.max(1, Math.round(usualIntervalMs / 1_000)),
      }),
    });
    await this.refresh();
  }

  private async endSilence(at: number): Promise<void> {
    if (this.open === null) return;
    await this.outages.end(this.open, at);
    await this.refresh();
  }

  private async refresh(): Promise<void> {
    this.open = await this.outages.open('silence');
    this.changes.emit();
    await this.outages.publish();
  }

  /** Runs work one after the other. What fails is retried by the next check. */
  private enqueue(work: () => Promise<void>): Promise<void> {
    if (!this.started) return this.queue.idle();
    return this.queue
      .run(work)
      .catch((error: unknown) => this.log.error({ err: error }, 'silence not recorded'));
  }
}
