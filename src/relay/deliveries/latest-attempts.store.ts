import { HttpStatus, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal, type AttemptRecord, type DeliveryResult } from '../database/journal/journal';
import { MINUTE_MS } from '../database/journal/traffic-counts';
import { Clock } from '../ground/clock';
import { TimeBounds } from '../ground/time-bounds';
import { TargetsService } from '../targets/targets.service';
import { Settings } from '../settings/settings';

/** How many of the latest attempts say whether a target is failing. */
export const JUDGED_ATTEMPTS = 10;

/** After this many failures in a row, the next success is a recovery. */
const FAILURES_BEFORE_RECOVERY = 5;

const RECENT_MS = 60 * MINUTE_MS;

/** A failed attempt. `at`: when it ended, in ms since 1970. */
interface Failure extends Pick<AttemptRecord, 'status' | 'error' | 'excerpt'> {
  at: number;
}

/** Times are ms since 1970; those of before the start of the daemon are the beginning of their minute or hour. */
export interface LatestAttempts {
  /** Whether each of the latest ten attempts failed, oldest first. */
  failed: readonly boolean[];
  failuresInRow: number;
  /** When the first of them ended; null without one. `failingFrom`: the same as monotonic time, without downtime. */
  failingSince: number | null;
  failingFrom: number | null;
  /**
   * Without an excerpt if it was before the start of the daemon, or if values are masked: an alert would quote it, and
   * alerts are for everyone.
   */
  lastFailure: Failure | null;
  lastSuccessAt: number | null;
  recoveredAt: number | null;
}

/** What ended in a minute. `at`: its beginning, in ms since 1970. */
interface MinuteCounts {
  target: number;
  at: number;
  delivered: number;
  failed: number;
}

/** By target, what was counted: minutes are merged into hours after a day. */
const COUNTS = `counts AS (
    SELECT target, hour * 3600000 AS at, delivered, failed FROM traffic_hours WHERE target <> 0
    UNION ALL SELECT target, minute * ${MINUTE_MS}, delivered, failed FROM traffic_minutes WHERE target <> 0),
  successes AS (SELECT target, max(at) AS at FROM counts WHERE delivered > 0 GROUP BY target)`;
const SUCCESSES = `WITH ${COUNTS} SELECT target, at FROM successes`;
const FAILURES_SINCE = `WITH ${COUNTS}
  SELECT c.target, CAST(sum(c.failed) AS INTEGER) AS failed, min(c.at) AS since
  FROM counts c LEFT JOIN successes s ON s.target = c.target
  WHERE c.failed > 0 AND (s.at IS NULL OR c.at > s.at) GROUP BY c.target`;
const RECENT = `SELECT target, minute * ${MINUTE_MS} AS at, delivered, failed FROM traffic_minutes
  WHERE target <> 0 AND minute >= ? ORDER BY minute`;
const LAST_ERRORS = `WITH errors AS (
    SELECT target, error, latest_at AS at FROM error_hours UNION ALL SELECT target, error, latest_at FROM error_minutes)
  SELECT e.target, e.error, e.at FROM errors e
  JOIN (SELECT target, max(at) AS at FROM errors GROUP BY target) latest ON latest.target = e.target AND latest.at = e.at`;

/**
 * The latest outcomes of attempts at each target; of before the start of the daemon, what the counts of traffic tell.
 */
@Injectable()
export class LatestAttemptsStore implements OnModuleInit {
  private readonly byTarget = new Map<number, LatestAttempts>();
  /** Ms since 1970. */
  private erasedAt = -Infinity;

  constructor(
    private readonly source: DataSource,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly settings: Settings,
    journal: Journal,
  ) {
    journal.onCommit(({ results, erased }) => {
      for (const result of results) this.record(result);
      if (erased.length > 0) this.forgetExcerpts();
    });
    targets.onChange(({ number }) => {
      if (targets.byNumber(number) === null) this.byTarget.delete(number);
    });
  }

  async onModuleInit(): Promise<void> {
    const read = <T>(sql: string, ...parameters: number[]) =>
      this.source.query<(T & { target: number; at: number })[]>(sql, parameters);
    for (const { target, at } of await read(SUCCESSES)) this.change(target, { lastSuccessAt: at });
    // The order within a minute is not known; what has failed since the minute of the latest success is added below.
    const recent = await read<Omit<MinuteCounts, 'target' | 'at'>>(
      RECENT,
      Math.floor((this.clock.now() - RECENT_MS) / MINUTE_MS),
    );
    for (const { target, at, ...counts } of recent)
      if (at <= (this.of(target).lastSuccessAt ?? -1)) {
        this.append(target, true, counts.failed);
        this.append(target, false, counts.delivered);
      }
    for (const { target, failed, since } of await read<{ failed: number; since: number }>(FAILURES_SINCE)) {
      this.append(target, true, failed);
      const failingMs = Math.max(0, this.bounds.ageOf(since));
      const failingFrom = this.clock.monotonic() - failingMs;
      this.change(target, { failuresInRow: failed, failingSince: since, failingFrom });
    }
    for (const { target, error, at } of await read<{ error: string }>(LAST_ERRORS)) {
      const status = /^\d+$/.test(error) ? Number(error) : null;
      const name = status === null ? (error as AttemptRecord['error']) : 'http_status';
      this.change(target, { lastFailure: { at, status, error: name, excerpt: null } });
    }
    for (const [target, recoveredAt] of this.recoveriesIn(recent)) this.change(target, { recoveredAt });
  }

  /**
   * When targets have recovered, of which failures of before the start tell, as `record` does for later ones. In which
   * order the attempts of a minute ended is not known, so that a minute with a success counts as one.
   */
  private recoveriesIn(minutes: readonly MinuteCounts[]): Map<number, number> {
    const recoveries = new Map<number, number>();
    const failures = new Map<number, number>();
    for (const { target, at, delivered, failed } of minutes) {
      const { lastFailure } = this.of(target);
      const wasGone = lastFailure?.status === HttpStatus.GONE && lastFailure.at < at;
      const before = failures.get(target) ?? 0;
      const now = delivered > 0 ? 0 : before + failed;
      failures.set(target, now);
      if (delivered > 0 && (before >= FAILURES_BEFORE_RECOVERY || (wasGone && !recoveries.has(target))))
        recoveries.set(target, at);
      if (now >= FAILURES_BEFORE_RECOVERY) recoveries.delete(target);
    }
    return recoveries;
  }

  of(target: number): LatestAttempts {
    return this.byTarget.get(target) ?? NONE;
  }

  private record({ key: { target }, attempt, state }: DeliveryResult): void {
    // A failure of this machine, or of an expression, tells nothing about the receiver.
    if (this.targets.byNumber(target) === null || attempt.error === 'local_failure') return;
    if (attempt.error === 'transform_failed') return;
    const before = this.of(target);
    const succeeded = state === 'succeeded';
    const failures = before.failuresInRow + Number(!succeeded);
    // A response 410 has disabled the target: a single one, too, ends with a recovery.
    const isFailing =
      failures >= FAILURES_BEFORE_RECOVERY ||
      (before.failuresInRow > 0 && before.lastFailure?.status === HttpStatus.GONE);
    const at = attempt.at + attempt.durationMs;
    const { status, error } = attempt;
    // What was its `$previous` may have been erased meanwhile; an attempt begins after its expression was evaluated.
    const mayQuoteErased = (attempt.previous ?? 0) > 0 && attempt.at <= this.erasedAt + MINUTE_MS;
    const excerpt = this.settings.mask === null && !mayQuoteErased ? attempt.excerpt : null;
    this.append(target, !succeeded, 1);
    this.change(
      target,
      succeeded
        ? {
            lastSuccessAt: at,
            failuresInRow: 0,
            failingSince: null,
            failingFrom: null,
            recoveredAt: isFailing ? at : before.recoveredAt,
          }
        : {
            lastFailure: { at, status, error, excerpt },
            failuresInRow: before.failuresInRow + 1,
            failingSince: before.failingSince ?? at,
            failingFrom: before.failingFrom ?? this.clock.monotonic(),
            recoveredAt: isFailing ? null : before.recoveredAt,
          },
    );
  }

  /** Events were erased: an excerpt may quote one of them. */
  private forgetExcerpts(): void {
    this.erasedAt = this.clock.now();
    for (const [target, { lastFailure }] of this.byTarget)
      if (lastFailure !== null) this.change(target, { lastFailure: { ...lastFailure, excerpt: null } });
  }

  private append(target: number, failed: boolean, count: number): void {
    const added = Array.from({ length: Math.min(count, JUDGED_ATTEMPTS) }, () => failed);
    this.change(target, { failed: [...this.of(target).failed, ...added].slice(-JUDGED_ATTEMPTS) });
  }

  private change(target: number, change: Partial<LatestAttempts>): void {
    this.byTarget.set(target, { ...this.of(target), ...change });
  }
}

const NONE: LatestAttempts = {
  failed: [],
  failuresInRow: 0,
  failingSince: null,
  failingFrom: null,
  lastFailure: null,
  lastSuccessAt: null,
  recoveredAt: null,
};
