import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Backlog } from './queue/backlog';
import { DurationHistogram } from '../ground/duration-histogram';
import { Journal, type DeliveryResult } from '../database/journal/journal';
import { TimeBounds } from '../ground/time-bounds';
import { TargetsService } from '../targets/targets.service';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** The rate is that of the latest minutes. */
const RATE_MINUTES = 15;
/** Each a tenth above the one before, from 1 ms to more than the longest timeout of a policy, in seconds. */
const BOUNDS = Array.from({ length: 118 }, (_, i) => 1.1 ** i / 1_000);

interface Counts {
  attempts: number;
  failed: number;
  /** Deliveries that left the queue by an attempt. */
  finished: number;
  durations: DurationHistogram | null;
}

/** What is known of a part of the last hour: durations in ms. */
interface RecentStep {
  p50_ms: number | null;
  p95_ms: number | null;
  queued: number | null;
}

/**
 * The attempts of each target in the last hour, kept in memory: every list of targets shows them. What ended before
 * this run comes from the counts per minute, which hold no durations.
 */
@Injectable()
export class RecentAttemptsStore implements OnModuleInit {
  /** By target, and by minute of `TimeBounds.latest`, oldest first. */
  private readonly byTarget = new Map<number, Map<number, Counts>>();

  constructor(
    private readonly source: DataSource,
    private readonly bounds: TimeBounds,
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
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
    const rows = await this.source.query<Record<'minute' | 'target' | 'delivered' | 'failed', number>[]>(
      'SELECT minute, target, delivered, failed FROM traffic_minutes WHERE minute >= ? AND target <> 0 ORDER BY minute',
      [first],
    );
    for (const { minute, target, delivered, failed } of rows) {
      const latest = this.bounds.fromWallClock(minute * MINUTE_MS);
      const counts = this.countsAt(target, Math.floor(latest / MINUTE_MS));
      counts.attempts += delivered + failed;
      counts.failed += failed;
    }
  }

  /** @returns counts, and the 95th percentile of the durations, in ms */
  lastHour(target: number): { attempts: number; failed: number; p95Ms: number | null } {
    const minutes = this.of(target);
    this.dropOld(minutes);
    const all = [...minutes.values()];
    const durations = new DurationHistogram(BOUNDS);
    for (const counts of all) if (counts.durations !== null) durations.merge(counts.durations);
    const p95 = durations.quantile(0.95);
    return {
      attempts: all.reduce((sum, counts) => sum + counts.attempts, 0),
      failed: all.reduce((sum, counts) => sum + counts.failed, 0),
      p95Ms: p95 === null ? null : Math.round(p95 * 1_000),
    };
  }

  /**
   * Deliveries that succeeded per minute, from the latest whole minutes that ended with a backlog and followed another
   * such one: others may have been idle, or paused, in part. Null without any: dead letters are no progress.
   */
  perMinute(target: number): number | null {
    const minutes = this.of(target);
    const isBusy = (minute: number) => {
      const { finished = 0 } = minutes.get(minute) ?? {};
      return finished > 0 && (this.backlog.queuedAtEnd(target, minute) ?? 0) > 0;
    };
    const latest = Array.from({ length: RATE_MINUTES }, (_, ago) => this.currentMinute() - 1 - ago);
    const busy = latest.filter((minute) => isBusy(minute) && isBusy(minute - 1));
    const delivered = busy.reduce((sum, minute) => sum + deliveredIn(minutes.get(minute)!), 0);
    return delivered === 0 ? null : delivered / busy.length;
  }

  /** Steps of at least a minute, from times in ms since 1970; what was before the start or an hour ago is null. */
  steps(target: number, starts: readonly number[], stepMs: number): RecentStep[] {
    const minutes = this.of(target);
    this.dropOld(minutes);
    const first = this.currentMinute() - MINUTES + 1;
    return starts.map((start) => {
      const from = Math.floor(this.bounds.fromWallClock(start) / MINUTE_MS);
      const end = from + stepMs / MINUTE_MS;
      const durations = new DurationHistogram(BOUNDS);
      for (let minute = from; minute < end; minute += 1) {
        const counts = minutes.get(minute);
        if (counts?.durations) durations.merge(counts.durations);
      }
      const ms = (share: number) => {
        const seconds = durations.quantile(share);
        return seconds === null ? null : Math.round(seconds * 1_000);
      };
      const queued = end > first ? this.backlog.queuedAtEnd(target, end - 1) : null;
      return { p50_ms: ms(0.5), p95_ms: ms(0.95), queued };
    });
  }

  private record({ key, attempt, state }: DeliveryResult): void {
    if (this.targets.byNumber(key.target) === null || attempt.error === 'transform_failed') return;
    const counts = this.countsAt(key.target, this.currentMinute());
    counts.attempts += 1;
    (counts.durations ??= new DurationHistogram(BOUNDS)).add(attempt.durationMs);
    if (state !== 'succeeded') counts.failed += 1;
    if (state !== 'retrying') counts.finished += 1;
  }

  private countsAt(target: number, minute: number): Counts {
    const minutes = this.of(target);
    let counts = minutes.get(minute);
    if (counts === undefined) {
      this.dropOld(minutes);
      minutes.set(minute, (counts = { attempts: 0, failed: 0, finished: 0, durations: null }));
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

  private of(target: number): Map<number, Counts> {
    let found = this.byTarget.get(target);
    if (found === undefined) this.byTarget.set(target, (found = new Map()));
    return found;
  }

  private currentMinute(): number {
    return Math.floor(this.bounds.latest() / MINUTE_MS);
  }
}

const deliveredIn = ({ attempts, failed }: Counts): number => attempts - failed;
