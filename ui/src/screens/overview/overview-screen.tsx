import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { StatsSeries } from '@contract/stats';
import { statsSeriesQuery } from '../../api/stats';
import { Screen } from '../../components/screen';
import { useNow } from '../../components/use-now';
import { useRowKeys } from '../../components/use-row-keys';
import type { ChartPeriod } from '../../labels/period-labels';
import { findIssues, splitSnoozed } from './find-issues';
import { FirstSteps, completedSteps } from './first-steps';
import { Headline } from './headline';
import { LatestEvents } from './latest-events';
import classes from './overview-screen.module.css';
import { TargetCards } from './target-cards';
import { TopologyPanel } from './topology-panel';
import { TrafficPanel } from './traffic-panel';
import { useOverviewData } from './use-overview-data';
import { KeyMetrics } from './key-metrics';

const route = getRouteApi('/signed-in/');

/** The first screen: overall state, issues and traffic. */
export function OverviewScreen() {
  const data = useOverviewData();
  const initialPeriod = useInitialPeriod();
  const { period = initialPeriod } = route.useSearch();
  const { connection, stats, targets } = data;
  const now = useNow();
  const rows = useRef<HTMLDivElement>(null);
  useRowKeys(rows);
  const done = completedSteps(data);
  const isNew = done?.[2] === false;
  // During setup, the steps already cover these issues.
  const issues = findIssues(data, now).filter(({ id }) => !isNew || !COVERED_BY_STEPS.has(id));
  const { shown, snoozed } = splitSnoozed(issues, data.snoozes ?? [], now);
  return (
    <Screen title="Overview">
      <div ref={rows} className={classes.parts}>
        <Headline data={data} issues={shown} snoozed={snoozed} isNew={isNew} />
        {isNew && <FirstSteps done={done} />}
        <KeyMetrics data={data} />
        {!isNew && connection && stats && targets !== undefined && targets.length > 0 && (
          <TopologyPanel connection={connection} stats={stats} targets={targets} />
        )}
        {/* Before the first event these panels would be empty. */}
        {!isNew && <TrafficPanel period={period} />}
        {(!isNew || done[1]) && <TargetCards />}
        {!isNew && <LatestEvents />}
      </div>
    </Screen>
  );
}

const COVERED_BY_STEPS = new Set(['no-target', 'not-connected']);

/** The last minutes, if less than half of the hour is known when the screen opens; else the hour. */
function useInitialPeriod(): ChartPeriod {
  const { data: lastHour } = useQuery(statsSeriesQuery('hour'));
  const [initial, setInitial] = useState<ChartPeriod | null>(null);
  if (initial === null && lastHour !== undefined) setInitial(knowsLittleOf(lastHour) ? 'live' : 'hour');
  return initial ?? 'hour';
}

/** Most of its chart would be empty. */
function knowsLittleOf({ since, until, points }: StatsSeries): boolean {
  const first = new Date(points[0]?.at ?? until).getTime();
  return first - new Date(since).getTime() > new Date(until).getTime() - first;
}
