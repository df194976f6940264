import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { statsSeriesQuery } from '../../api/stats';
import { ErrorNote } from '../../components/error-note';
import { Panel } from '../../components/panel';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import { useNow } from '../../components/use-now';
import { describeTimeRange, type TimeRange } from '../../format/time-range';
import { LIVE, overviewSearch } from '../../search/overview-search';
import { formatCount, formatRate } from '../../format/number';
import { describePeak, describeTraffic } from './describe-traffic';
import { describeOutage } from '../../features/traffic-chart/describe-outage';
import { LazyRateChart } from '../../features/traffic-chart/lazy-rate-chart';
import type { ChartLine } from '../../features/traffic-chart/rate-chart';
import classes from '../../features/traffic-chart/traffic-chart.module.css';
import { TrafficTable } from './traffic-table';
import {
  formatUnit,
  rateUnitOf,
  ratesOf,
  stepTime,
  timesOf,
  fromSeries,
  fromStats,
  type TrafficLine,
  type TrafficStep,
  type TrafficView,
} from '../../features/traffic-chart/traffic-view';
import { useStats } from './use-overview-data';

const isLiveRange = ({ range }: TimeRange) => range === LIVE.range;

function useTraffic(range: TimeRange) {
  const stats = useStats();
  const isLive = isLiveRange(range);
  const series = useQuery({ ...statsSeriesQuery(range), enabled: !isLive });
  const view = useMemo(() => {
    if (isLive) return stats.data && fromStats(stats.data);
    return series.data && fromSeries(series.data);
  }, [isLive, stats.data, series.data]);
  const { error, refetch, isPlaceholderData: stale } = isLive ? stats : series;
  return { view, error, refetch, stale };
}

/** Events and deliveries over time, with outages. */
export function TrafficPanel({ range }: { range: TimeRange }) {
  const { view, error, refetch, stale } = useTraffic(range);
  const navigate = useNavigate({ from: '/' });
  const selectRange = (chosen: TimeRange) => {
    const search = overviewSearch({ ...chosen });
    void navigate({ search: Object.keys(search).length === 0 ? LIVE : search, resetScroll: false });
  };
  const title = isLiveRange(range) ? LAST_MINUTES : (describeTimeRange(range) ?? '');
  return (
    <Panel title="Traffic" flush aside={<RangeControl range={range} selectRange={selectRange} />}>
      {view !== undefined && (
        <TrafficChart view={view} title={title} stale={stale} selectRange={selectRange} />
      )}
      {view === undefined && error !== null && (
        <div className={classes.error}>
          <ErrorNote error={error} retry={() => void refetch()} />
        </div>
      )}
      {view === undefined && error === null && (
        <div className={classes.loading} aria-busy>
          <Skeleton height="100%" />
        </div>
      )}
    </Panel>
  );
}

const LAST_MINUTES = 'Last 5 minutes';

interface RangeControlProps {
  range: TimeRange;
  selectRange: (range: TimeRange) => void;
}

function RangeControl({ range, selectRange }: RangeControlProps) {
  return (
    <div className={classes.range}>
      <TimeRangeControl
        label="Time range"
        isLabelHidden
        none={LAST_MINUTES}
        value={isLiveRange(range) ? {} : range}
        onChange={selectRange}
      />
    </div>
  );
}

const LINES: readonly (Omit<ChartLine, 'values'> & { of: TrafficLine })[] = [
  { of: 'events', colour: '--sb-accent', fill: '--sb-accent-soft' },
  { of: 'delivered', colour: '--sb-ok' },
  { of: 'failed', colour: '--sb-bad', isDashed: true },
];

interface TrafficChartProps {
  view: TrafficView;
  title: string;
  stale: boolean;
  selectRange: (range: TimeRange) => void;
}

function TrafficChart({ view, title, stale, selectRange }: TrafficChartProps) {
  const now = useNow();
  const [pointed, setPointed] = useState<number | null>(null);
  const [showTable, setShowTable] = useState(false);
  const unit = useMemo(() => rateUnitOf(view), [view]);
  const times = useMemo(() => timesOf(view), [view]);
  const lines = useMemo(
    () => LINES.map(({ of, ...style }) => ({ ...style, values: ratesOf(view, of, unit) })),
    [view, unit],
  );
  const step = pointed === null ? undefined : view.steps.find(({ at }) => at === pointed);
  // A single step is shown as a rate, the whole period as a total.
  const current = step ?? (view.isLive ? view.steps.at(-1) : undefined);
  const value = (line: TrafficLine) =>
    current === undefined
      ? formatCount(view.total[line])
      : `${formatRate(rateOf(current, line) * unit.seconds)}/${unit.name}`;
  return (
    <div className={classes.drawn} data-stale={stale || undefined}>
      <dl className={classes.legend}>
        <div className={classes.when}>
          <VisuallyHidden component="dt">Time</VisuallyHidden>
          <dd>
            {pointed === null
              ? view.isLive
                ? 'Now'
                : 'Total'
              : `${stepTime(view, pointed)}${step === undefined ? `, ${view.isLive ? 'not counted' : 'not running'}` : ''}`}
          </dd>
        </div>
        <div data-line="events">
          <dt>Events</dt>
          <dd>{value('events')}</dd>
        </div>
        <div data-line="delivered">
          <dt>Delivered</dt>
          <dd>{value('delivered')}</dd>
        </div>
        <div data-line="failed" title="Failed attempts; most are retried">
          <dt>Failed attempts</dt>
          <dd>{value('failed')}</dd>
        </div>
      </dl>
      <div className={classes.chart}>
        <LazyRateChart
          since={view.since}
          until={view.until}
          at={times}
          lines={lines}
          format={formatUnit(unit)}
          outages={view.outages}
          label={describeTraffic(title, view, unit)}
          onPoint={setPointed}
          onRange={selectRange}
        />
      </div>
      {view.outages.length > 0 && (
        <ul className={classes.outages}>
          {view.outages.map((outage) => (
            <li key={outage.id} data-kind={outage.kind}>
              {describeOutage(outage, now)}
            </li>
          ))}
        </ul>
      )}
      <div className={classes.foot}>
        <p className={classes.peak}>{describePeak(view, unit)}</p>
        <Button
          variant="subtle"
          leftSection={<IconTable size={14} aria-hidden />}
          aria-expanded={showTable}
          onClick={() => setShowTable(!showTable)}
        >
          {showTable ? 'Hide table' : 'Show as table'}
        </Button>
      </div>
      {showTable && <TrafficTable view={view} />}
    </div>
  );
}

const rateOf = (step: TrafficStep, line: TrafficLine) => step[line] / step.seconds;
