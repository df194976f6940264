import { Skeleton, VisuallyHidden } from '@mantine/core';
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
import type { OverviewData } from './overview-data';
import classes from './overview-screen.module.css';
import { TargetCards } from './target-cards';
import { TopologyPanel } from './topology-panel';
import { TrafficPanel } from './traffic-panel';
import { useOverviewData } from './use-overview-data';
import { KeyMetrics } from './key-metrics';

const route = getRouteApi('/signed-in/');

/** The first screen: overall state, issues and traffic. */
export function OverviewScreen() {
  const { data, isLoading } = useOverviewData();
  return <Screen title="Overview">{isLoading ? <LoadingParts /> : <Parts data={data} />}</Screen>;
}

const LoadingParts = () => (
  <div className={classes.parts} aria-busy>
    <VisuallyHidden>Loading…</VisuallyHidden>
    <Skeleton height={72} />
    <Skeleton height={108} />
    <Skeleton height={332} />
  </div>
);

function Parts({ data }: { data: OverviewData }) {
  const { data: lastHour } = useQuery(statsSeriesQuery('hour'));
  const [initialPeriod] = useState(() => initialPeriodOf(lastHour));
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
  );
}

const COVERED_BY_STEPS = new Set(['no-target', 'not-connected']);

/** The last minutes while less than half of the hour is known: most of its chart would be empty. */
function initialPeriodOf(lastHour: StatsSeries | undefined): ChartPeriod {
  if (lastHour === undefined) return 'hour';
  const [since, until, first] = [
    lastHour.since,
    lastHour.until,
    lastHour.points[0]?.at ?? lastHour.until,
  ].map((at) => new Date(at).getTime()) as [number, number, number];
  return first - since > until - first ? 'live' : 'hour';
}
