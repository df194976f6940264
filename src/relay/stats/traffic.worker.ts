import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { greater, lesser } from '../database/reading/dialect';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { Log } from '../ground/log';
import { TimeBounds } from '../ground/time-bounds';
import { SerialQueue } from '../ground/serial-queue';

/** Often enough to mark every minute. */
const INTERVAL_MS = 20_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Longer than the day that is shown in minutes. */
const MINUTE_RETENTION_HOURS = 26;
const HOUR_RETENTION_HOURS = 8 * 7 * 24;

/**
 * SQL: whether a minute is due for aggregation, in the oldest hour of a table. One hour per run, however many are
 * due, since notifications wait for the transaction. The parameter is the first minute that is not due.
 */
const isOld = (table: string) =>
  `minute < ${lesser('?', `((SELECT min(minute) FROM ${table}) / 60 + 1) * 60`)}`;
const addedTo = (table: string, columns: readonly string[]) =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ');
const AGGREGATE_TRAFFIC = `
  INSERT INTO traffic_hours(hour, target, events, delivered, failed, dead)
  SELECT minute / 60, target, sum(events), sum(delivered), sum(failed), sum(dead) FROM traffic_minutes
  WHERE ${isOld('traffic_minutes')} GROUP BY 1, 2
  ON CONFLICT(hour, target) DO UPDATE SET ${addedTo('traffic_hours', ['events', 'delivered', 'failed', 'dead'])}`;
const AGGREGATE_ERRORS = `
  INSERT INTO error_hours(hour, target, error, attempts, latest_at)
  SELECT minute / 60, target, error, sum(attempts), max(latest_at) FROM error_minutes
  WHERE ${isOld('error_minutes')} GROUP BY 1, 2, 3
  ON CONFLICT(hour, target, error) DO UPDATE SET
    ${addedTo('error_hours', ['attempts'])},
    latest_at = ${greater('error_hours.latest_at', 'excluded.latest_at')}`;
const removeAggregated = (table: string) => `DELETE FROM ${table} WHERE ${isOld(table)}`;
const removeOld = (table: string) =>
  `DELETE FROM ${table} WHERE hour < ${lesser('?', `(SELECT min(hour) FROM ${table}) + 24`)}`;
/** With PostgreSQL, the passes that count events write in transactions of their own; this row makes them wait. */
const HOLD_PASSES = 'UPDATE instance SET indexed_through = indexed_through';
const MARK_MINUTE = `
  INSERT INTO traffic_minutes(minute, target, events, delivered, failed, dead) VALUES (?, 0, 0, 0, 0, 0)
  ON CONFLICT(minute, target) DO NOTHING`;

/** Marks each minute in which the daemon runs, to tell quiet minutes from downtime, and merges old ones into hours. */
@Injectable()
export class TrafficWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private markedMinute = 0;
  private readonly queue = new SerialQueue();

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    void this.tick();
  }

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    return this.queue
      .run(() => this.update())
      .catch((error: unknown) => this.log.error({ err: error }, 'traffic counts not aggregated'));
  }

  onModuleDestroy(): Promise<void> {
    return this.queue.idle();
  }

  private async update(): Promise<void> {
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    if (minute === this.markedMinute) return;
    const hourBefore = (hours: number) => Math.floor(this.bounds.allOlderThan(hours * HOUR_MS) / HOUR_MS);
    const oldestHour = hourBefore(MINUTE_RETENTION_HOURS);
    const statements: Statement[] = [
      [HOLD_PASSES, []],
      [MARK_MINUTE, [minute]],
      [AGGREGATE_TRAFFIC, [oldestHour * 60]],
      [removeAggregated('traffic_minutes'), [oldestHour * 60]],
      [removeOld('traffic_hours'), [hourBefore(HOUR_RETENTION_HOURS)]],
      [AGGREGATE_ERRORS, [oldestHour * 60]],
      [removeAggregated('error_minutes'), [oldestHour * 60]],
      [removeOld('error_hours'), [hourBefore(HOUR_RETENTION_HOURS)]],
    ];
    await this.journal.change({ statements });
    this.markedMinute = minute;
  }
}
