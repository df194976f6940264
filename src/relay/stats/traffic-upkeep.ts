import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { Log } from '../ground/log';
import { TimeBounds } from '../ground/time-bounds';

/** Often enough that no minute is passed by. */
const LOOK_EVERY_MS = 20_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Longer than the day that is shown by minutes. */
const MINUTES_KEPT_HOURS = 26;
const HOURS_KEPT = 8 * 7 * 24;

/** At most one hour's minutes at a time, whatever has been left lying: a step shares its transaction with notifications. */
const isOld = (table: string) => `minute < min(?, ((SELECT min(minute) FROM ${table}) / 60 + 1) * 60)`;
const FOLD_TRAFFIC = `
  INSERT INTO traffic_hours(hour, target, events, delivered, failed, died)
  SELECT minute / 60, target, sum(events), sum(delivered), sum(failed), sum(died) FROM traffic_minutes
  WHERE ${isOld('traffic_minutes')} GROUP BY 1, 2
  ON CONFLICT(hour, target) DO UPDATE SET events = events + excluded.events, delivered = delivered + excluded.delivered,
    failed = failed + excluded.failed, died = died + excluded.died`;
const FOLD_ERRORS = `
  INSERT INTO error_hours(hour, target, error, attempts, latest_at)
  SELECT minute / 60, target, error, sum(attempts), max(latest_at) FROM error_minutes
  WHERE ${isOld('error_minutes')} GROUP BY 1, 2, 3
  ON CONFLICT(hour, target, error) DO UPDATE SET
    attempts = attempts + excluded.attempts, latest_at = max(latest_at, excluded.latest_at)`;
const removeFolded = (table: string) => `DELETE FROM ${table} WHERE ${isOld(table)}`;
const removeOld = (table: string) =>
  `DELETE FROM ${table} WHERE hour < min(?, (SELECT min(hour) FROM ${table}) + 24)`;
const MARK = `
  INSERT OR IGNORE INTO traffic_minutes(minute, target, events, delivered, failed, died) VALUES (?, 0, 0, 0, 0, 0)`;

/** Marks each minute in which the hub runs, so that a quiet one is none in which it was away; makes hours of old minutes. */
@Injectable()
export class TrafficUpkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private marked = 0;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    void this.tick();
  }

  @Interval(LOOK_EVERY_MS)
  tick(): Promise<void> {
    this.running = this.running
      .then(() => this.look())
      .catch((error: unknown) => this.log.error({ err: error }, 'traffic counts not tidied'));
    return this.running;
  }

  async onModuleDestroy(): Promise<void> {
    await this.running;
  }

  private async look(): Promise<void> {
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    if (minute === this.marked) return;
    const hour = Math.floor(this.bounds.earliest() / HOUR_MS);
    const oldestHour = hour - MINUTES_KEPT_HOURS;
    const statements: Statement[] = [
      [MARK, [minute]],
      [FOLD_TRAFFIC, [oldestHour * 60]],
      [removeFolded('traffic_minutes'), [oldestHour * 60]],
      [removeOld('traffic_hours'), [hour - HOURS_KEPT]],
      [FOLD_ERRORS, [oldestHour * 60]],
      [removeFolded('error_minutes'), [oldestHour * 60]],
      [removeOld('error_hours'), [hour - HOURS_KEPT]],
    ];
    await this.journal.change(statements);
    this.marked = minute;
  }
}
