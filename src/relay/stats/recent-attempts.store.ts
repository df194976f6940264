import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal, type DeliveryResult } from '../database/journal';
import { TimeBounds } from '../ground/time-bounds';
import { TargetsService } from '../targets/targets.service';
import { DurationCounts } from './duration-counts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

interface Counts {
  attempts: number;
  failed: number;
  durations: DurationCounts | null;
}

interface OfTarget {
  /** By minute of `TimeBounds.latest`, oldest first. */
  minutes: Map<number, Counts>;
  lastDeliveredAt: number | null;
}

interface MinuteRow {
  minute: number;
  target: number;
  delivered: number;
  failed: number;
}

/** Minutes are merged into hours after a day; each half is a lookup in a few thousand rows. */
const LAST_DELIVERED = `
  SELECT target, max(at) AS at FROM (
    SELECT target, hour * 3600000 AS at FROM traffic_hours WHERE delivered > 0
    UNION ALL SELECT target, minute * ${MINUTE_MS} FROM traffic_minutes WHERE delivered > 0)
  WHERE target <> 0 GROUP BY target`;

/**
 * The attempts of each target in the last hour, kept in memory: every list of targets shows them. What ended
 * before this run comes from the counts per minute, which hold no durations.
 */
@Injectable()
export class RecentAttemptsStore implements OnModuleInit {
  private readonly byTarget = new Map<number, OfTarget>();

  constructor(
    private readonly source: DataSource,
    private readonly bounds: TimeBounds,
    targets: TargetsService,
    journal: Journal,
  ) {
    journal.onCommit(({ results }) => {
      for (const result of results) this.record(result);
    });
    targets.onChange(({ number }) => {
      if (targets.byNumber(number) === null) this.byTarget.delete(number);
    });
  }

  async onModuleInit(): Promise<void> {
    const first = Math.floor(this.bounds.toWallClock(this.bounds.latest()) / MINUTE_MS) - MINUTES + 1;
    const rows = await this.source.query<MinuteRow[]>(
      'SELECT minute, target, delivered, failed FROM traffic_minutes WHERE minute >= ? AND target <> 0 ORDER BY minute',
      [first],
    );
    for (const { minute, target, delivered, failed } of rows) {
      const counts = this.countsAt(
        target,
        Math.floor(this.bounds.fromWallClock(minute * MINUTE_MS) / MINUTE_MS),
      );
      counts.attempts += delivered + failed;
      counts.failed += failed;
    }
    const delivered = await this.source.query<{ target: number; at: number }[]>(LAST_DELIVERED);
    for (const { target, at } of delivered) this.of(target).lastDeliveredAt = at;
  }

  /** @returns counts, the 95th percentile of the durations, and a time, in ms */
  lastHour(target: number): {
    attempts: number;
    failed: number;
    p95Ms: number | null;
    lastDeliveredAt: number | null;
  } {
    const { minutes, lastDeliveredAt } = this.of(target);
    this.dropOld(minutes);
    const all = [...minutes.values()];
    const durations = new DurationCounts();
    for (const counts of all) if (counts.durations !== null) durations.add(counts.durations);
    return {
      attempts: all.reduce((sum, counts) => sum + counts.attempts, 0),
      failed: all.reduce((sum, counts) => sum + counts.failed, 0),
      p95Ms: durations.quantile(0.95),
      lastDeliveredAt,
    };
  }

  private record({ key, attempt, state }: DeliveryResult): void {
    const counts = this.countsAt(key.target, this.currentMinute());
    counts.attempts += 1;
    (counts.durations ??= new DurationCounts()).record(attempt.durationMs);
    if (state === 'succeeded') this.of(key.target).lastDeliveredAt = attempt.at + attempt.durationMs;
    else counts.failed += 1;
  }

  private countsAt(target: number, minute: number): Counts {
    const { minutes } = this.of(target);
    let counts = minutes.get(minute);
    if (counts === undefined) {
      this.dropOld(minutes);
      minutes.set(minute, (counts = { attempts: 0, failed: 0, durations: null }));
    }
    return counts;
  }

  private dropOld(minutes: Map<number, Counts>): void {
    const first = this.currentMinute() - MINUTES + 1;
    for (const minute of minutes.keys()) {
      if (minute >= first) break;
      minutes.delete(minute);
    }
  }

  private of(target: number): OfTarget {
    let found = this.byTarget.get(target);
    if (found === undefined)
      this.byTarget.set(target, (found = { minutes: new Map(), lastDeliveredAt: null }));
    return found;
  }

  private currentMinute(): number {
    return Math.floor(this.bounds.latest() / MINUTE_MS);
  }
}
