import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { Screen } from '../../components/screen';
import { useNow } from '../../components/use-now';
import { useRowKeys } from '../../components/use-row-keys';
import { findIssues } from './find-issues';
import { FirstSteps, completedSteps } from './first-steps';
import { Headline } from './headline';
import { LatestEvents } from './latest-events';
import classes from './overview-screen.module.css';
import { TargetCards } from './target-cards';
import { TrafficPanel } from './traffic-panel';
import { useOverviewData } from './use-overview-data';
import { KeyMetrics } from './key-metrics';

const route = getRouteApi('/signed-in/');

/** The first screen: overall state, issues and traffic. */
export function OverviewScreen() {
  const { period = 'hour' } = route.useSearch();
  const data = useOverviewData();
  const now = useNow();
  const rows = useRef<HTMLDivElement>(null);
  useRowKeys(rows);
  const done = completedSteps(data);
  const isNew = done?.[2] === false;
  // During setup, the steps already cover these issues.
  const issues = findIssues(data, now).filter(({ id }) => !isNew || !COVERED_BY_STEPS.has(id));
  return (
    <Screen title="Overview">
      <div ref={rows} className={classes.parts}>
        <Headline data={data} issues={issues} isNew={isNew} />
        {isNew && <FirstSteps done={done} />}
        <KeyMetrics data={data} />
        {/* Before the first event these panels would be empty. */}
        {!isNew && <TrafficPanel period={period} />}
        {(!isNew || done[1]) && <TargetCards />}
        {!isNew && <LatestEvents />}
      </div>
    </Screen>
  );
}

const COVERED_BY_STEPS = new Set(['no-target', 'not-connected']);
