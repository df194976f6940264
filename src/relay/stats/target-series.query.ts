import { Injectable } from '@nestjs/common';
import type { StatsSeriesQuery, TargetSeries } from '../../contract/stats';
import { Reader } from '../database/reading/reader';
import { Clock } from '../ground/clock';
import { toIso } from '../ground/iso-time';
import { TargetsService } from '../targets/targets.service';
import { RecentAttemptsStore } from '../deliveries/recent-attempts.store';
import { HOUR_S, MINUTE_S, stepsOf } from './traffic-steps';

const COUNTS = ['delivered', 'failed', 'dead']
  .map((column) => `sum(CASE target WHEN @target THEN ${column} ELSE 0 END) AS ${column}`)
  .join(', ');
/** The rows of all targets together show when the daemon was running. */
const seriesBy = (step: number) => `
  SELECT step, ${COUNTS} FROM (
    SELECT hour * ${HOUR_S} / ${step} AS step, target, delivered, failed, dead FROM traffic_hours
    WHERE hour >= @hour AND target IN (0, @target)
    UNION ALL
    SELECT minute * ${MINUTE_S} / ${step}, target, delivered, failed, dead FROM traffic_minutes
    WHERE minute >= @minute AND target IN (0, @target)) counts
  WHERE step BETWEEN @first AND @last GROUP BY step ORDER BY step`;

interface StepRow {
  step: number;
  delivered: number;
  failed: number;
  dead: number;
}

/** Attempts at one target over time, with the durations and the backlog of the last hour. */
@Injectable()
export class TargetSeriesQuery {
  constructor(
    private readonly reader: Reader,
    private readonly targets: TargetsService,
    private readonly recent: RecentAttemptsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws RelayError `target_unknown`, 404 */
  async of(id: string, query: StatsSeriesQuery): Promise<TargetSeries> {
    const { number: target } = this.targets.byId(id);
    const { period, step, last, since, end } = stepsOf(this.clock.now(), query);
    const from = {
      target,
      first: since / step,
      last,
      hour: Math.floor(since / HOUR_S),
      minute: Math.floor(since / MINUTE_S),
    };
    const rows = await this.reader.all<StepRow>([seriesBy(step), [from]]);
    const starts = rows.map((row) => row.step * step * 1_000);
    const recent = this.recent.steps(target, starts, step * 1_000);
    return {
      period,
      since: toIso(since * 1_000),
      until: toIso(end),
      step_seconds: step,
      points: rows.map(({ delivered, failed, dead }, i) => ({
        at: toIso(starts[i]!),
        delivered,
        failed,
        dead,
        ...recent[i]!,
      })),
    };
  }
}
