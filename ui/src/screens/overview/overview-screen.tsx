import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Stats, StatsSeries } from '@contract/stats';
import { LAST_HOUR, statsSeriesQuery } from '../../api/stats';
import { Column, Columns } from '../../components/columns';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import type { TimeRange } from '../../format/time-range';
import { LIVE } from '../../search/overview-search';
import { FirstSteps, completedSteps } from './first-steps';
import { Headline } from './headline';
import { LatestEvents } from './latest-events';
import classes from './overview-screen.module.css';
import { SetupList } from './setup-list';
import { MAX_CARDS, TargetCards } from './target-cards';
import { TopologyPanel } from './topology-panel';
import { TrafficPanel } from './traffic-panel';
import { useOverviewData } from './use-overview-data';
import { KeyMetrics } from './key-metrics';

const route = getRouteApi('/signed-in/');

/** The first screen: overall state, issues and traffic. */
export function OverviewScreen() {
  const data = useOverviewData();
  const initialRange = useInitialRange(data.stats);
  const search = route.useSearch();
  const range = Object.keys(search).length === 0 ? initialRange : search;
  const { connection, stats, targets } = data;
  const rows = useRef<HTMLDivElement>(null);
  useRowKeys(rows);
  const done = completedSteps(data);
  const isNew = done?.[2] === false;
  // During setup, the steps already cover these issues.
  const issues = (data.health?.issues ?? []).filter(({ code }) => !isNew || !COVERED_BY_STEPS.has(code));
  const shown = issues.filter(({ snoozed }) => snoozed === null);
  const hidden = issues.filter(({ snoozed }) => snoozed !== null);
  const isWide = useMediaQuery(WIDE, false, { getInitialValueInEffect: false });
  const hasCards = targets === undefined || targets.length <= MAX_CARDS;
  const traffic = <TrafficPanel range={range} />;
  const topology = connection && stats && targets !== undefined && targets.length > 0 && (
    <TopologyPanel connection={connection} stats={stats} targets={targets} />
  );
  return (
    <Screen title="Overview">
      <div ref={rows} className={classes.parts}>
        <Headline data={data} issues={shown} snoozed={hidden} isNew={isNew} />
        {isNew && <FirstSteps done={done} />}
        {done !== null && !isNew && <SetupList />}
        <KeyMetrics data={data} />
        {/* Before the first event most panels would be empty. */}
        {isNew && done[1] && <TargetCards />}
        {!isNew && isWide && hasCards && (
          <Columns shares={[2, 1]}>
            <Column>
              {traffic}
              {topology}
              <LatestEvents />
            </Column>
            <TargetCards />
          </Columns>
        )}
        {!isNew && !(isWide && hasCards) && (
          <>
            {traffic}
            {isWide ? (
              <Columns shares={[1, 1]}>
                {topology}
                <LatestEvents />
              </Columns>
            ) : (
              <>
                {topology}
                {hasCards && <TargetCards />}
                <LatestEvents />
              </>
            )}
          </>
        )}
      </div>
    </Screen>
  );
}

/** Wide enough for two columns: the cards of few targets beside the chart, else the latest events beside the topology. */
const WIDE = '(min-width: 1680px)';

const COVERED_BY_STEPS = new Set(['target.none', 'connection.missing']);

/**
 * The last minutes, if less than half of the hour is known when the screen opens, unless a restart made still less of them
 * known; else the hour.
 */
function useInitialRange(stats: Stats | undefined): TimeRange {
  const { data: lastHour } = useQuery(statsSeriesQuery(LAST_HOUR));
  const [initial, setInitial] = useState<TimeRange | null>(null);
  if (initial === null && lastHour !== undefined && stats !== undefined)
    setInitial(knowsLittleOf(lastHour, new Date(stats.started_at)) ? LIVE : LAST_HOUR);
  return initial ?? LAST_HOUR;
}

/** Most of its chart would be empty. */
function knowsLittleOf({ since, until, points, step_seconds: step }: StatsSeries, startedAt: Date): boolean {
  const first = new Date(points[0]?.at ?? until).getTime();
  const isRestarted = startedAt.getTime() - first > step * 1000;
  return !isRestarted && first - new Date(since).getTime() > new Date(until).getTime() - first;
}
