import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DurationHistogram } from '../ground/duration-histogram';
import { Journal, type DeliveryResult } from '../database/journal';
import { TimeBounds } from '../ground/time-bounds';
import { TargetsService } from '../targets/targets.service';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Each a tenth above the one before, from 1 ms to more than the longest timeout of a policy, in seconds. */
const BOUNDS = Array.from({ length: 118 }, (_, i) => 1.1 ** i / 1_000);
/** An hour of failures says little about a target that has recovered since. */
export const LATEST_ATTEMPTS = 10;

interface Counts {
  attempts: number;
  failed: number;
  durations: DurationHistogram | null;
}

interface OfTarget {
  /** By minute of `TimeBounds.latest`, oldest first. */
  minutes: Map<number, Counts>;
  lastDeliveredAt: number | null;
  /** Whether each of the latest attempts failed. */
  latest: boolean[];
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
    UNION ALL SELECT target, minute * ${MINUTE_MS} FROM traffic_minutes WHERE delivered > 0) counts
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
    private readonly targets: TargetsService,
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
      // Their order within the minute is not known.
      this.recordOutcomes(target, true, failed);
      this.recordOutcomes(target, false, delivered);
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
    /** How many of the latest ten attempts failed. */
    latestFailed: number;
  } {
    const { minutes, lastDeliveredAt, latest } = this.of(target);
    this.dropOld(minutes);
    const all = [...minutes.values()];
    const durations = new DurationHistogram(BOUNDS);
    for (const counts of all) if (counts.durations !== null) durations.merge(counts.durations);
    const p95 = durations.quantile(0.95);
    return {
      attempts: all.reduce((sum, counts) => sum + counts.attempts, 0),
      failed: all.reduce((sum, counts) => sum + counts.failed, 0),
      p95Ms: p95 === null ? null : Math.round(p95 * 1_000),
      lastDeliveredAt,
      latestFailed: latest.filter((failed) => failed).length,
    };
  }

  private record({ key, attempt, state }: DeliveryResult): void {
    if (this.targets.byNumber(key.target) === null) return;
    const counts = this.countsAt(key.target, this.currentMinute());
    counts.attempts += 1;
    (counts.durations ??= new DurationHistogram(BOUNDS)).add(attempt.durationMs);
    const failed = state !== 'succeeded';
    if (failed) counts.failed += 1;
    else this.of(key.target).lastDeliveredAt = attempt.at + attempt.durationMs;
    this.recordOutcomes(key.target, failed, 1);
  }

  private recordOutcomes(target: number, failed: boolean, count: number): void {
    const { latest } = this.of(target);
    for (let i = 0; i < Math.min(count, LATEST_ATTEMPTS); i += 1) latest.push(failed);
    latest.splice(0, latest.length - LATEST_ATTEMPTS);
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
      this.byTarget.set(target, (found = { minutes: new Map(), lastDeliveredAt: null, latest: [] }));
    return found;
  }

  private currentMinute(): number {
    return Math.floor(this.bounds.latest() / MINUTE_MS);
  }
}
