import { Injectable } from '@nestjs/common';
import type {
  StatsSeries,
  StatsSpan,
  TargetErrors,
  TargetsTraffic,
  TrafficCounts,
  TrafficPoint,
} from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Journal, type AttemptRecord } from '../database/journal';
import { Reader } from '../database/reader';
import { Outages } from '../outages/outages';
import { TargetsService } from '../targets/targets.service';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** Some hundred steps each: as many as a chart shows. */
const SPANS: Record<StatsSpan, { seconds: number; step: number }> = {
  hour: { seconds: HOUR_S, step: MINUTE_S },
  day: { seconds: 24 * HOUR_S, step: 5 * MINUTE_S },
  week: { seconds: 7 * 24 * HOUR_S, step: HOUR_S },
};

type StepRow = TrafficCounts & { step: number };
type ErrorRow = { error: string | null; attempts: number; latestAt: number };
type TargetRow = Pick<TrafficCounts, 'delivered' | 'failed'> & { minute: number; target: number };

/**
 * One statement, so one state of the database: what is counted, and the events behind that, some hundred at most. Parameters:
 * from when on in hours, minutes and ms, and the last step.
 */
const seriesBy = (step: number) => `
  SELECT step, sum(events) AS events, sum(delivered) AS delivered, sum(failed) AS failed, sum(died) AS died FROM (
    SELECT hour * ${HOUR_S} / ${step} AS step, events, delivered, failed, died FROM traffic_hours
    WHERE hour >= ? AND target = 0
    UNION ALL
    SELECT minute * ${MINUTE_S} / ${step}, events, delivered, failed, died FROM traffic_minutes
    WHERE minute >= ? AND target = 0
    UNION ALL
    SELECT received_at / 1000 / ${step}, 1, 0, 0, 0 FROM events
    WHERE seq > (SELECT indexed_through FROM instance) AND received_at >= ? AND signature_header <> '')
  WHERE step <= ? GROUP BY step ORDER BY step`;

const BY_TARGET = `
  SELECT minute, target, delivered, failed FROM traffic_minutes WHERE minute >= ? AND minute <= ? ORDER BY minute, target`;

/**
 * The row without an error counts all attempts. The rows of each time are looked up rather than those of all targets gone
 * through. Parameters: the target; the first and the last hour; the first and the last minute.
 */
const ERRORS = `
  WITH RECURSIVE wanted(target) AS (SELECT ?),
    hours(hour, last) AS (SELECT ?, ? UNION ALL SELECT hour + 1, last FROM hours WHERE hour < last),
    kept(minute) AS (SELECT min(minute) FROM traffic_minutes UNION ALL SELECT min(minute) FROM error_minutes),
    minutes(minute, last) AS (
      SELECT max(?, coalesce((SELECT min(minute) FROM kept), 0)), ?
      UNION ALL SELECT minute + 1, last FROM minutes WHERE minute < last)
  SELECT error, sum(attempts) AS attempts, max(latest_at) AS latestAt FROM (
    SELECT NULL AS error, delivered + failed AS attempts, 0 AS latest_at
    FROM wanted CROSS JOIN hours CROSS JOIN traffic_hours USING (target, hour)
    UNION ALL
    SELECT NULL, delivered + failed, 0 FROM wanted CROSS JOIN minutes CROSS JOIN traffic_minutes USING (target, minute)
    UNION ALL
    SELECT error, attempts, latest_at FROM wanted CROSS JOIN hours CROSS JOIN error_hours USING (target, hour)
    UNION ALL
    SELECT error, attempts, latest_at FROM wanted CROSS JOIN minutes CROSS JOIN error_minutes USING (target, minute))
  GROUP BY error ORDER BY attempts DESC, latestAt DESC`;

/** What happened over the last hour, day or week, from counts that outlive the events. */
@Injectable()
export class TrafficHistory {
  /** The newest one of each target, since the start. */
  private readonly failures = new Map<number, AttemptRecord>();

  constructor(
    private readonly reader: Reader,
    private readonly outages: Outages,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    journal: Journal,
  ) {
    journal.onCommit(({ settled }) => {
      for (const { key, attempt, state } of settled)
        if (state !== 'succeeded') this.failures.set(key.target, attempt);
    });
  }

  async series(span: StatsSpan): Promise<StatsSeries> {
    const now = this.clock.now();
    const { step, last, since } = stepsUntil(now, span);
    const from = [since / HOUR_S, since / MINUTE_S, since * 1000].map(Math.floor);
    const rows = await this.reader.all<StepRow>([seriesBy(step), [...from, last]]);
    return {
      span,
      since: instantOf(since),
      until: new Date(now).toISOString(),
      step_seconds: step,
      points: withPresent(rows, last).map((row) => pointOf(row, step)),
      total: sum(rows),
      outages: await this.outages.since(since * 1000),
    };
  }

  /** @throws RelayError `target_unknown`, 404 */
  async errorsOf(id: string, span: StatsSpan): Promise<TargetErrors> {
    const { number } = this.targets.byId(id);
    const now = this.clock.now();
    const { since } = stepsUntil(now, span);
    const within = [since / HOUR_S, now / 1000 / HOUR_S, since / MINUTE_S, now / 1000 / MINUTE_S].map(
      Math.floor,
    );
    const rows = await this.reader.all<ErrorRow>([ERRORS, [number, ...within]]);
    return {
      span,
      since: instantOf(since),
      until: new Date(now).toISOString(),
      attempts: rows.find(({ error }) => error === null)?.attempts ?? 0,
      data: rows.flatMap(({ error, attempts, latestAt }) =>
        error === null ? [] : [{ error, attempts, latest_at: new Date(latestAt).toISOString() }],
      ),
    };
  }

  async byTarget(): Promise<TargetsTraffic> {
    const last = Math.floor(this.clock.now() / 1000 / MINUTE_S);
    const first = last + 1 - HOUR_S / MINUTE_S;
    const rows = await this.reader.all<TargetRow>([BY_TARGET, [first, last]]);
    const running = new Set(rows.map(({ minute }) => minute).concat(last));
    const minutes = Array.from({ length: last + 1 - first }, (_, i) => first + i);
    return {
      since: instantOf(first * MINUTE_S),
      step_seconds: MINUTE_S,
      data: this.targets.all().map(({ id, number }) => {
        const own = new Map(rows.filter(({ target }) => target === number).map((row) => [row.minute, row]));
        const line = (of: 'delivered' | 'failed') =>
          minutes.map((minute) => (running.has(minute) ? (own.get(minute)?.[of] ?? 0) : null));
        return {
          target_id: id,
          delivered: line('delivered'),
          failed: line('failed'),
          last_failure: failureOf(this.failures.get(number)),
        };
      }),
    };
  }
}

const stepsUntil = (now: number, span: StatsSpan) => {
  const { seconds, step } = SPANS[span];
  const last = Math.floor(now / 1000 / step);
  /** `since` in seconds, `last` in steps. */
  return { step, last, since: (last + 1) * step - seconds };
};

/** Whoever answers is running, whether or not anything has happened in this step. */
function withPresent(rows: readonly StepRow[], last: number): readonly StepRow[] {
  if (rows.at(-1)?.step === last) return rows;
  return [...rows, { step: last, events: 0, delivered: 0, failed: 0, died: 0 }];
}

function failureOf(attempt: AttemptRecord | undefined): TargetsTraffic['data'][number]['last_failure'] {
  if (attempt === undefined) return null;
  const { at, durationMs, status, error } = attempt;
  return { at: new Date(at + durationMs).toISOString(), status, error };
}

function pointOf({ step, ...counts }: StepRow, seconds: number): TrafficPoint {
  return { at: instantOf(step * seconds), ...counts };
}

function sum(rows: readonly TrafficCounts[]): TrafficCounts {
  const of = (name: keyof TrafficCounts) => rows.reduce((total, row) => total + row[name], 0);
  return { events: of('events'), delivered: of('delivered'), failed: of('failed'), died: of('died') };
}

const instantOf = (seconds: number) => new Date(seconds * 1000).toISOString();
