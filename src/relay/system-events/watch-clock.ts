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

/** What a crash takes of the record only delays: retries by so much, should the clock be set back before the next start. */
const STORED_EVERY_MS = 60_000;

const DAY_MS = 24 * 3_600_000;

/** Looks whether the wall clock was set, raises an alert where it was, and keeps on disk what the next start has to know of the time. */
@Injectable()
export class WatchClock implements OnModuleInit, OnModuleDestroy {
  /** By monotonic time. */
  private storedAt = 0;
  private readonly storing = new NonOverlapping(
    () => this.store(),
    (error) => this.log.error({ err: error }, 'clock record not stored'),
  );

  constructor(
    private readonly bounds: TimeBounds,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly alerts: Alerts,
    private readonly log: Log,
  ) {}

  /** Before anything is stored that a later start would measure by it. */
  async onModuleInit(): Promise<void> {
    await this.storing.run();
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    const jumps = this.bounds.takeJumps();
    for (const jump of jumps) this.tell(jump);
    if (jumps.length > 0 || this.clock.monotonic() - this.storedAt >= STORED_EVERY_MS)
      await this.storing.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.storing.run();
    await this.storing.stop();
  }

  private tell(jump: ClockJump): void {
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

  private async store(): Promise<void> {
    await this.journal.change([storeClockRecord(this.bounds.record())]);
    this.storedAt = this.clock.monotonic();
  }
}
