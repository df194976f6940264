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

const route = getRouteApi('/inside/');

/** The first screen: is all well, what wants a hand, and how it has been. */
export function OverviewScreen() {
  const { span = 'hour' } = route.useSearch();
  const data = useOverviewData();
  const now = useNow();
  const rows = useRef<HTMLDivElement>(null);
  useRowKeys(rows);
  const done = completedSteps(data);
  const isNew = done?.[2] === false;
  // What a step of the first run asks for is no trouble yet.
  const issues = findIssues(data, now).filter(({ id }) => !isNew || !COVERED_BY_STEPS.has(id));
  return (
    <Screen title="Overview">
      <div ref={rows} className={classes.parts}>
        <Headline data={data} issues={issues} isNew={isNew} />
        {isNew && <FirstSteps done={done} />}
        <KeyMetrics data={data} />
        {/* Before the first event they would show three times that there is nothing. */}
        {!isNew && <TrafficPanel span={span} />}
        {(!isNew || done[1]) && <TargetCards />}
        {!isNew && <LatestEvents />}
      </div>
    </Screen>
  );
}

const COVERED_BY_STEPS = new Set(['no-target', 'not-connected']);
