import { Injectable } from '@nestjs/common';
import type {
  StatsSeries,
  StatsSeriesQuery,
  TargetErrors,
  TargetsTraffic,
  TrafficCounts,
  TrafficPoint,
} from '../../contract/stats';
import { Clock } from '../ground/clock';
import { greater, JOIN_IN_ORDER } from '../database/reading/dialect';
import { Reader } from '../database/reading/reader';
import { Backlog } from '../deliveries/queue/backlog';
import { LatestAttemptsStore, type LatestAttempts } from '../deliveries/latest-attempts.store';
import { isoOrNull, toIso } from '../ground/iso-time';
import { OutageStore } from '../outages/outage.store';
import { TargetsService } from '../targets/targets.service';
import { HOUR_S, MINUTE_S, stepsOf } from './traffic-steps';

type StepRow = TrafficCounts & { step: number };
type ErrorRow = { error: string | null; attempts: number; latestAt: number };
type TargetRow = Pick<TrafficCounts, 'delivered' | 'failed'> & { minute: number; target: number };

/** A single statement, for one consistent state: the counts, and the events not counted yet, a few hundred at most. */
const seriesBy = (step: number) => `
  SELECT step, sum(events) AS events, sum(delivered) AS delivered, sum(failed) AS failed, sum(dead) AS dead FROM (
    SELECT hour * ${HOUR_S} / ${step} AS step, events, delivered, failed, dead FROM traffic_hours
    WHERE hour >= @hour AND target = 0
    UNION ALL
    SELECT minute * ${MINUTE_S} / ${step}, events, delivered, failed, dead FROM traffic_minutes
    WHERE minute >= @minute AND target = 0
    UNION ALL
    SELECT received_at / 1000 / ${step}, 1, 0, 0, 0 FROM events
    WHERE seq > (SELECT indexed_through FROM instance) AND received_at >= @at AND signature_header <> '') counts
  WHERE step BETWEEN @first AND @last GROUP BY step ORDER BY step`;

const BY_TARGET = `
  SELECT minute, target, delivered, failed FROM traffic_minutes WHERE minute >= ? AND minute <= ? ORDER BY minute, target`;

/** The row without an error counts all attempts. Rows are looked up by time and target, not scanned for all targets. */
const ERRORS = `
  WITH RECURSIVE hours(hour, last) AS (SELECT @firstHour, @lastHour UNION ALL SELECT hour + 1, last FROM hours WHERE hour < last),
    stored(minute) AS (SELECT min(minute) FROM traffic_minutes UNION ALL SELECT min(minute) FROM error_minutes),
    minutes(minute, last) AS (
      SELECT ${greater('@firstMinute', 'coalesce((SELECT min(minute) FROM stored), 0)')}, @lastMinute
      UNION ALL SELECT minute + 1, last FROM minutes WHERE minute < last)
  SELECT error, sum(attempts) AS attempts, max(latest_at) AS "latestAt" FROM (
    SELECT NULL AS error, delivered + failed AS attempts, 0 AS latest_at
    FROM hours ${JOIN_IN_ORDER} traffic_hours USING (hour) WHERE target = @target
    UNION ALL
    SELECT NULL, delivered + failed, 0 FROM minutes ${JOIN_IN_ORDER} traffic_minutes USING (minute)
    WHERE target = @target AND minute <= @lastMinute
    UNION ALL
    SELECT error, attempts, latest_at FROM hours ${JOIN_IN_ORDER} error_hours USING (hour) WHERE target = @target
    UNION ALL
    SELECT error, attempts, latest_at FROM minutes ${JOIN_IN_ORDER} error_minutes USING (minute)
    WHERE target = @target AND minute <= @lastMinute) counts
  GROUP BY error ORDER BY attempts DESC, "latestAt" DESC`;

/** Traffic of the last hour, day or week, from counts that outlive the events. */
@Injectable()
export class TrafficHistoryStore {
  constructor(
    private readonly reader: Reader,
    private readonly outages: OutageStore,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly latestAttempts: LatestAttemptsStore,
    private readonly backlog: Backlog,
  ) {}

  async series(query: StatsSeriesQuery): Promise<StatsSeries> {
    const now = this.clock.now();
    const { period, step, last, since, end } = stepsOf(now, query);
    const from = {
      first: since / step,
      hour: Math.floor(since / HOUR_S),
      minute: Math.floor(since / MINUTE_S),
      at: Math.floor(since * 1000),
    };
    const rows = await this.reader.all<StepRow>([seriesBy(step), [{ ...from, last }]]);
    return {
      period,
      since: toIso(since * 1000),
      until: toIso(end),
      step_seconds: step,
      points: (end === now ? withCurrentStep(rows, last) : rows).map((row) => toPoint(row, step)),
      total: sum(rows),
      outages: (await this.outages.endedAfter(since * 1000)).filter(
        ({ began_at: began }) => Date.parse(began) < end,
      ),
    };
  }

  /** @throws RelayError `target_unknown`, 404 */
  async errorsOf(id: string, query: StatsSeriesQuery): Promise<TargetErrors> {
    const { number } = this.targets.byId(id);
    const { period, since, end, last, step } = stepsOf(this.clock.now(), query);
    // The same steps as in the series.
    const lastSecond = (last + 1) * step - 1;
    const parameters = {
      target: number,
      firstHour: Math.floor(since / HOUR_S),
      lastHour: Math.floor(lastSecond / HOUR_S),
      firstMinute: Math.floor(since / MINUTE_S),
      lastMinute: Math.floor(lastSecond / MINUTE_S),
    };
    const rows = await this.reader.all<ErrorRow>([ERRORS, [parameters]]);
    return {
      period,
      since: toIso(since * 1000),
      until: toIso(end),
      attempts: rows.find(({ error }) => error === null)?.attempts ?? 0,
      data: rows.flatMap(({ error, attempts, latestAt }) =>
        error === null ? [] : [{ error, attempts, latest_at: toIso(latestAt) }],
      ),
    };
  }

  async byTarget(): Promise<TargetsTraffic> {
    const last = Math.floor(this.clock.now() / 1000 / MINUTE_S);
    const first = last + 1 - HOUR_S / MINUTE_S;
    const rows = await this.reader.all<TargetRow>([BY_TARGET, [first, last]]);
    const runningMinutes = new Set(rows.map(({ minute }) => minute).concat(last));
    const minutes = Array.from({ length: last + 1 - first }, (_, i) => first + i);
    return {
      since: toIso(first * MINUTE_S * 1000),
      step_seconds: MINUTE_S,
      data: this.targets.all().map(({ id, number }) => {
        const byMinute = new Map(
          rows.filter(({ target }) => target === number).map((row) => [row.minute, row]),
        );
        const counts = (outcome: 'delivered' | 'failed') =>
          minutes.map((minute) =>
            runningMinutes.has(minute) ? (byMinute.get(minute)?.[outcome] ?? 0) : null,
          );
        return {
          target_id: id,
          delivered: counts('delivered'),
          failed: counts('failed'),
          ...presentLatest(this.latestAttempts.of(number)),
          dead_letters: this.backlog.dead(number),
        };
      }),
    };
  }
}

const presentLatest = ({ lastFailure, lastSuccessAt, recoveredAt }: LatestAttempts) => ({
  last_failure: lastFailure && {
    at: toIso(lastFailure.at),
    status: lastFailure.status,
    error: lastFailure.error,
  },
  last_success_at: isoOrNull(lastSuccessAt),
  recovered_at: isoOrNull(recoveredAt),
});

/** Adds the current step, which may have no row yet, since the daemon is running. */
function withCurrentStep(rows: readonly StepRow[], last: number): readonly StepRow[] {
  if (rows.at(-1)?.step === last) return rows;
  return [...rows, { step: last, events: 0, delivered: 0, failed: 0, dead: 0 }];
}

function toPoint({ step, ...counts }: StepRow, seconds: number): TrafficPoint {
  return { at: toIso(step * seconds * 1000), ...counts };
}

function sum(rows: readonly TrafficCounts[]): TrafficCounts {
  const of = (name: keyof TrafficCounts) => rows.reduce((total, row) => total + row[name], 0);
  return { events: of('events'), delivered: of('delivered'), failed: of('failed'), dead: of('dead') };
}
