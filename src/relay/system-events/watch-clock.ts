import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { storeClockRecord } from '../database/clock-record';
import { Journal } from '../database/journal';
import { Alerts, type Alert } from '../events/alerts';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { TimeBounds, type ClockJump } from '../ground/time-bounds';
import { describeJump } from './describe-jump';

const TICK_MS = 1_000;

/**
 * What a crash loses of this record delays retries by at most this, if the clock is set back before the
 * next start.
 */
const SAVE_INTERVAL_MS = 60_000;

const DAY_MS = 24 * 3_600_000;

/**
 * Detects when the wall clock is set, raises an alert, and stores what the next start has to know about the
 * time.
 */
@Injectable()
export class WatchClock implements OnModuleInit, OnModuleDestroy {
  /** By monotonic time. */
  private savedAt = 0;
  private readonly saving = new NonOverlapping(
    () => this.save(),
    (error) => this.log.error({ err: error }, 'clock record not stored'),
  );

  constructor(
    private readonly bounds: TimeBounds,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly alerts: Alerts,
    private readonly log: Log,
  ) {}

  /** Runs before anything is stored that a later start compares with it. */
  async onModuleInit(): Promise<void> {
    await this.saving.run();
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    const jumps = this.bounds.takeJumps();
    for (const jump of jumps) this.report(jump);
    if (jumps.length > 0 || this.clock.monotonic() - this.savedAt >= SAVE_INTERVAL_MS)
      await this.saving.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.saving.run();
    await this.saving.stop();
  }

  private report(jump: ClockJump): void {
    const { direction, ms, to } = jump;
    const data = { moved_ms: ms, now: new Date(to).toISOString() };
    const alert: Alert = {
      type: `relay.clock.set_${direction}`,
      subject: '',
      severity: 'warning',
      ...describeJump(jump),
      data,
      quietAfterMs: DAY_MS,
    };
    this.alerts.raise(alert);
  }

  private async save(): Promise<void> {
    await this.journal.change([storeClockRecord(this.bounds.record())]);
    this.savedAt = this.clock.monotonic();
  }
}
