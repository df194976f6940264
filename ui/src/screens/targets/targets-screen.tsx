import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlus, IconTargetArrow, IconX } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Target } from '@contract/target';
import bulkBar from '../../components/bulk-bar.module.css';
import { GuardedButton } from '../../components/guarded-button';
import { EmptyNote } from '../../components/empty-note';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import panel from '../../components/panel.module.css';
import { PauseDialog } from '../../features/targets/pause-dialog';
import { ResumeDialog } from '../../features/targets/resume-dialog';
import { SavedViewsMenu } from '../../features/saved-views/saved-views-menu';
import { useTargets } from '../../features/targets/use-targets';
import { formatCount, formatNoun } from '../../format/number';
import { isForAlerts } from '../../labels/target-labels';
import { targetsSearch } from '../../search/targets-search';
import { filterTargets, TargetFilter } from './target-filter';
import { TargetTable } from './target-table';
import classes from './targets-screen.module.css';

const route = getRouteApi('/signed-in/targets');

/** All targets. */
export function TargetsScreen() {
  const query = useTargets();
  const { data: targets } = query;
  const search = route.useSearch();
  const { found, shown } = filterTargets(targets ?? [], search);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selected = shown.filter(({ id }) => chosen.has(id));
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list);
  const add = (
    <GuardedButton
      variant="filled"
      leftSection={<IconPlus size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/targets/new" {...props} />}
    >
      Add<span className={classes.rest}> a target</span>
    </GuardedButton>
  );
  return (
    <Screen
      title="Targets"
      heading={
        <>
          <h1>Targets</h1>
          <SavedViewsMenu screen="/targets" search={search} parse={targetsSearch} />
        </>
      }
      lead="Each event is delivered to every matching target. Failed deliveries are retried."
      actions={
        targets !== undefined && targets.length > 0 ? (
          <div className={classes.actions}>
            <GuardedButton renderRoot={(props) => <Link to="/targets/test" {...props} />}>
              Test event
            </GuardedButton>
            <PauseAndResume targets={targets} isForAll />
            {add}
          </div>
        ) : undefined
      }
    >
      {targets !== undefined && targets.length > 0 && <TargetFilter search={search} found={found} />}
      {selected.length > 0 && (
        <section className={bulkBar.bar} aria-label="Bulk actions">
          <output className={bulkBar.count}>{formatCount(selected.length)} selected</output>
          <Button
            variant="subtle"
            leftSection={<IconX size={14} aria-hidden />}
            onClick={() => setChosen(new Set())}
          >
            Clear selection
          </Button>
          <PauseAndResume targets={selected} />
        </section>
      )}
      <div className={panel.panel} ref={list}>
        <PendingData query={query} rows={4} flush />
        {targets?.length === 0 && (
          <EmptyNote title="No targets yet" icon={<IconTargetArrow size={22} stroke={1.6} />}>
            <p>
              A target is an HTTP endpoint that receives events as signed POST requests: a service, a
              function, or a local program such as <code>http://localhost:3000/hook</code>.
            </p>
            <p>Until you add one, events are stored and can be replayed later.</p>
            {add}
          </EmptyNote>
        )}
        {targets !== undefined && targets.length > 0 && shown.length === 0 && (
          <EmptyNote title="No target matches">
            <Button renderRoot={(props) => <Link to="/targets" {...props} />}>Show all</Button>
          </EmptyNote>
        )}
        {shown.length > 0 && (
          <TargetTable
            targets={shown}
            search={search}
            selected={new Set(selected.map(({ id }) => id))}
            onSelect={setChosen}
          />
        )}
      </div>
    </Screen>
  );
}

interface PauseAndResumeProps {
  targets: readonly Target[];
  /** Whether these are all targets. */
  isForAll?: boolean;
}

/** Buttons that pause and resume several targets; only those that change something are shown. */
function PauseAndResume({ targets, isForAll = false }: PauseAndResumeProps) {
  const [pausing, setPausing] = useState(false);
  const [resuming, setResuming] = useState(false);
  const paused = targets.filter(({ paused: pause }) => pause !== null);
  const forAlerts = isForAll ? targets.filter(isForAlerts) : [];
  const active = targets.filter((target) => target.paused === null && !forAlerts.includes(target));
  const objectOf = (some: readonly Target[]) => (isForAll ? 'all' : formatCount(some.length));
  return (
    <>
      {paused.length > 0 && (
        <GuardedButton
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          onClick={() => setResuming(true)}
        >
          Resume {objectOf(paused)}
        </GuardedButton>
      )}
      {active.length > 0 && (
        <GuardedButton
          leftSection={<IconPlayerPause size={14} aria-hidden />}
          onClick={() => setPausing(true)}
        >
          Pause {objectOf(active)}
        </GuardedButton>
      )}
      <ResumeDialog targets={paused} opened={resuming} close={() => setResuming(false)} />
      <PauseDialog
        what={isForAll ? 'all targets' : formatNoun(active.length, 'target')}
        {...(!isForAll && { ids: active.map(({ id }) => id) })}
        paused={paused.map(({ name }) => name)}
        forAlerts={forAlerts.filter(({ paused: pause }) => pause === null).map(({ name }) => name)}
        opened={pausing}
        close={() => setPausing(false)}
      />
    </>
  );
}
