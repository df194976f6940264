import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { LAST_HOUR, targetSeriesQuery } from '../../api/stats';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import { LazyRateChart } from '../../features/traffic-chart/lazy-rate-chart';
import type { RateChartProps } from '../../features/traffic-chart/rate-chart';
import charts from '../../features/traffic-chart/traffic-chart.module.css';
import { formatUnit, rateUnitOf, stepTime, timesOf } from '../../features/traffic-chart/traffic-view';
import { formatExact } from '../../format/exact';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { describeTimeRange, type TimeRange } from '../../format/time-range';
import { targetSearch } from '../../search/target-search';
import { linesOf, viewOf, type ChartName, type TargetView } from './target-view';
import classes from './traffic-panel.module.css';
import { useChanges } from './use-changes';

interface TrafficPanelProps {
  target: string;
  range: TimeRange;
}

/** Attempts, durations and backlog of a target over time, and when its settings were changed. */
export function TrafficPanel({ target, range }: TrafficPanelProps) {
  const query = useQuery(targetSeriesQuery(target, range));
  const view = useMemo(() => query.data && viewOf(query.data), [query.data]);
  const navigate = useNavigate({ from: '/targets/$id' });
  const select = (chosen: TimeRange) =>
    void navigate({
      search: (before) =>
        targetSearch({ ...before, range: undefined, since: undefined, until: undefined, ...chosen }),
      replace: true,
      resetScroll: false,
    });
  const control = (
    <div className={charts.range}>
      <TimeRangeControl
        label="Time range"
        isLabelHidden
        none={describeTimeRange(LAST_HOUR) ?? ''}
        value={range === LAST_HOUR ? {} : range}
        onChange={select}
      />
    </div>
  );
  return (
    <Panel title="Traffic" flush aside={control}>
      <PendingData query={query} rows={6} flush />
      {view !== undefined && (
        <Charts target={target} view={view} range={range} stale={query.isPlaceholderData} select={select} />
      )}
    </Panel>
  );
}

interface ChartsProps extends TrafficPanelProps {
  view: TargetView;
  stale: boolean;
  select: (range: TimeRange) => void;
}

function Charts({ target, view, range, stale, select }: ChartsProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { traffic, points } = view;
  const unit = useMemo(() => rateUnitOf(traffic), [traffic]);
  const at = useMemo(() => timesOf(traffic), [traffic]);
  const lines = useMemo(() => linesOf(view, unit), [view, unit]);
  const changes = useChanges(target, range);
  const marks = useMemo(() => changes.map((change) => Date.parse(change.at) / 1000), [changes]);
  const point = pointed === null ? undefined : points.get(pointed);
  const latest = point ?? [...points.values()].findLast(({ p95_ms: ms }) => ms !== null);
  // At a step without a point nothing was attempted, or nothing is known.
  const counts = pointed === null ? traffic.total : point;
  const title = describeTimeRange(range) ?? '';
  const queued = (point ?? [...points.values()].at(-1))?.queued ?? null;
  const chart = (name: ChartName, label: string, format: RateChartProps['format']) => (
    <LazyRateChart
      since={traffic.since}
      until={traffic.until}
      at={at}
      lines={lines[name]}
      format={format}
      label={label}
      marks={marks}
      onPoint={setPointed}
      onRange={select}
    />
  );
  return (
    <div className={charts.drawn} data-stale={stale || undefined}>
      <dl className={charts.legend}>
        <div className={charts.when}>
          <VisuallyHidden component="dt">Time</VisuallyHidden>
          <dd>{pointed === null ? 'Total' : stepTime(traffic, pointed)}</dd>
        </div>
        <Value line="delivered" name="Delivered">
          {countOf(counts?.delivered)}
        </Value>
        <Value line="failed" name="Failed attempts">
          {countOf(counts?.failed)}
        </Value>
      </dl>
      <div className={classes.attempts}>
        {chart(
          'attempts',
          `${title}: ${formatCount(traffic.total.delivered)} delivered, ${formatNoun(traffic.total.failed, 'failed attempt')}`,
          formatUnit(unit),
        )}
      </div>
      <div className={classes.pair}>
        <div>
          <dl className={charts.legend}>
            <Value line="p50" name={point === undefined ? 'Latest latency p50' : 'Latency p50'}>
              {ms(latest?.p50_ms)}
            </Value>
            <Value line="p95" name="p95">
              {ms(latest?.p95_ms)}
            </Value>
          </dl>
          <div className={classes.small}>
            {lines.latency[0]!.values.every((value) => value === null) ? (
              <p className={classes.note}>No attempts whose latency is known.</p>
            ) : (
              chart(
                'latency',
                `Latency: ${ms(latest?.p50_ms)} (p50), ${ms(latest?.p95_ms)} (p95)`,
                formatMilliseconds,
              )
            )}
          </div>
        </div>
        <div>
          <dl className={charts.legend}>
            <Value line="backlog" name="Backlog">
              {queued === null ? '–' : formatCount(queued)}
            </Value>
          </dl>
          <div className={classes.small}>
            {chart('backlog', `Backlog: ${queued === null ? 'not known' : formatCount(queued)}`, formatWhole)}
          </div>
        </div>
      </div>
      {changes.length > 0 && (
        <ul className={classes.changes} aria-label="Changes of this target">
          {changes.map(({ id, at: time, what, who }) => (
            <li key={id}>
              <time dateTime={time} title={formatExact(time)}>
                {stepTime(traffic, Date.parse(time) / 1000)}
              </time>{' '}
              {what} <span className={classes.actor}>{who}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.note}>
        Drag over a chart to see the deliveries of that time. Latency and backlog are known since the last
        start, for at most an hour.
      </p>
    </div>
  );
}

const ms = (value: number | null | undefined): string =>
  typeof value === 'number' ? formatMilliseconds(value) : '–';

const countOf = (value: number | undefined): string => (value === undefined ? '–' : formatCount(value));

/** There is no half a delivery. */
const formatWhole = (value: number): string => (Number.isInteger(value) ? formatCount(value) : '');

function Value({ line, name, children }: { line: string; name: string; children: ReactNode }) {
  return (
    <div data-line={line}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
