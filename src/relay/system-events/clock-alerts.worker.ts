import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { storeClockRecord } from '../database/journal/clock-record';
import { Journal } from '../database/journal/journal';
import { AlertsService } from '../events/alerts.service';
import { toIso } from '../ground/iso-time';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { RECORD_INTERVAL_MS, TimeBounds, type ClockJump } from '../ground/time-bounds';

const TICK_MS = 1_000;

/** The other daemons end deliveries by what is in the record. */
const SHARED_RECORD_INTERVAL_MS = 5_000;

/** Newer than the last record, and read at the start, at most. */
const UNCHECKED_EVENTS = 10_000;

const DAY_MS = 24 * 3_600_000;

/** Raises an alert when the wall clock was set, and stores the record of `TimeBounds` for the next start. */
@Injectable()
export class ClockAlertsWorker implements OnModuleInit, OnModuleDestroy {
  /** When the record was last stored, by monotonic time. */
  private savedAt = 0;
  private readonly saving = new NonOverlapping(
    () => this.save(),
    (error) => this.log.error({ err: error }, 'clock record not stored'),
  );

  constructor(
    private readonly bounds: TimeBounds,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly source: DataSource,
    private readonly leadership: Leadership,
    private readonly alerts: AlertsService,
    private readonly log: Log,
  ) {
    journal.onCommit(({ events }) => {
      for (const { seq, draft } of events) {
        // Its own are dated by the clock that they would be compared with: if they seem old, the process stood still.
        if (leadership.isShared) bounds.justStored(draft.receivedAt);
        bounds.checkedThrough = seq;
      }
    });
  }

  /** Stores the first record before anything else is stored whose time a later start compares with it. */
  async onModuleInit(): Promise<void> {
    // The thread for slow reads would otherwise run in every daemon.
    const unchecked = await this.source.query<{ seq: number; at: number }[]>(
      `SELECT seq, received_at AS at FROM events WHERE seq > ? ORDER BY seq DESC LIMIT ${UNCHECKED_EVENTS}`,
      [this.bounds.checkedThrough],
    );
    for (const { seq, at } of unchecked.toReversed()) {
      this.bounds.justStored(at);
      this.bounds.checkedThrough = seq;
    }
    await this.saving.run();
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    const jumps = this.bounds.takeJumps();
    for (const jump of jumps) this.report(jump);
    const intervalMs = this.leadership.isShared ? SHARED_RECORD_INTERVAL_MS : RECORD_INTERVAL_MS;
    if (jumps.length > 0 || this.clock.monotonic() - this.savedAt >= intervalMs) await this.saving.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.saving.run();
    await this.saving.stop();
  }

  private report(jump: ClockJump): void {
    this.alerts.raise({
      type: `relay.clock.set_${jump.direction}`,
      subject: '',
      severity: 'warning',
      sentence: describeJump(jump),
      remedy: 'Check that the time is correct now, and keep it synchronized (NTP).',
      data: { moved_ms: jump.ms, now: toIso(jump.to) },
      quietAfterMs: DAY_MS,
    });
  }

  private async save(): Promise<void> {
    await this.journal.change({ statements: [storeClockRecord(this.bounds.record())] });
    this.savedAt = this.clock.monotonic();
  }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function describeJump({ direction, ms, to }: ClockJump): string {
  const moved = `by ${formatDuration(ms)}, to ${toIso(to)}`;
  return direction === 'back'
    ? `The system clock was set back ${moved}. Deliveries, probes and renewals are not affected; timestamps stored from now on may precede earlier ones.`
    : `The system clock was set ahead ${moved}, or the machine was suspended for that long. What was stored before is not older for that: it is neither removed nor does it expire sooner, whichever time was right.`;
}

/** In the largest unit that fits. */
function formatDuration(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? UNITS[3];
  const count = Math.round(ms / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
