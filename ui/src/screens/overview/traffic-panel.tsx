import { Button, Skeleton, useComputedColorScheme } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { statsSeriesQuery } from '../../api/stats';
import { ErrorNote } from '../../components/error-note';
import { Panel } from '../../components/panel';
import switchClasses from '../../components/period-switch.module.css';
import { useNow } from '../../components/use-now';
import { CHART_PERIODS } from '../../search/overview-search';
import { formatCount, formatRate } from '../../format/number';
import { PERIOD_LABELS, type ChartPeriod } from '../../labels/period-labels';
import { describePeak, describeTraffic, stepTime } from './describe-traffic';
import { describeOutage } from './describe-outage';
import classes from './traffic-panel.module.css';
import { TrafficTable } from './traffic-table';
import {
  rateUnitOf,
  fromSeries,
  fromStats,
  type TrafficLine,
  type TrafficStep,
  type TrafficView,
} from './traffic-view';
import { useStats } from './use-overview-data';

const RateChart = lazy(async () => ({ default: (await import('./rate-chart')).RateChart }));

function useTraffic(period: ChartPeriod) {
  const stats = useStats();
  const series = useQuery({
    ...statsSeriesQuery(period === 'live' ? 'hour' : period),
    enabled: period !== 'live',
  });
  const view = useMemo(() => {
    if (period === 'live') return stats.data && fromStats(stats.data);
    return series.data && fromSeries(series.data);
  }, [period, stats.data, series.data]);
  const { error, refetch } = period === 'live' ? stats : series;
  return { view, error, refetch };
}

/** Events and deliveries over time, with outages. */
export function TrafficPanel({ period }: { period: ChartPeriod }) {
  const { view, error, refetch } = useTraffic(period);
  return (
    <Panel title="Traffic" flush aside={<PeriodSwitch shown={period} />}>
      {view !== undefined && <TrafficChart view={view} stale={view.period !== period} />}
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

const PeriodSwitch = ({ shown }: { shown: ChartPeriod }) => (
  <nav aria-label="Time range" className={switchClasses.periods}>
    {CHART_PERIODS.map((one) => (
      <Link
        key={one}
        to="/"
        search={{ period: one }}
        // Without a period in the URL, one is shown too.
        activeOptions={{ exact: true, includeSearch: true }}
        {...(one === shown && { 'aria-current': 'page' })}
        resetScroll={false}
        className={switchClasses.period}
        title={`Show ${PERIOD_LABELS[one].title}`}
      >
        {PERIOD_LABELS[one].name}
      </Link>
    ))}
  </nav>
);

function TrafficChart({ view, stale }: { view: TrafficView; stale: boolean }) {
  const scheme = useComputedColorScheme();
  const now = useNow();
  const [pointed, setPointed] = useState<number | null>(null);
  const [showTable, setShowTable] = useState(false);
  const unit = useMemo(() => rateUnitOf(view), [view]);
  const step = pointed === null ? undefined : view.steps.find(({ at }) => at === pointed);
  // A single step is shown as a rate, the whole period as a total.
  const current = step ?? (view.period === 'live' ? view.steps.at(-1) : undefined);
  const value = (line: TrafficLine) =>
    current === undefined
      ? formatCount(view.total[line])
      : `${formatRate(rateOf(current, line) * unit.seconds)}/${unit.name}`;
  return (
    <div className={classes.drawn} data-stale={stale || undefined}>
      <dl className={classes.legend}>
        <div className={classes.when}>
          <dt className={classes.hidden}>Time</dt>
          <dd>
            {pointed === null
              ? PERIOD_LABELS[view.period].title
              : `${stepTime(view, pointed)}${step === undefined ? ', not running' : ''}`}
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
        <Suspense>
          <RateChart
            key={scheme}
            view={view}
            unit={unit}
            label={describeTraffic(view, unit)}
            onPoint={setPointed}
          />
        </Suspense>
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
