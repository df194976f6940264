import { Button } from '@mantine/core';
import { IconHistory, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ReplayPlan } from '../../../../src/contract/replay';
import { isUnfinished, replaysQuery } from '../../api/replays';
import { EmptyNote } from '../../components/empty-note';
import { itemsOf, PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { HistoryRow } from './history-row';
import classes from './replays-screen.module.css';
import { RunningReplay } from './running-replay';

/** Replays: those that are under way, and what came of the others. */
export function ReplaysScreen() {
  const query = useInfiniteQuery(replaysQuery);
  const replays = query.data && itemsOf(query.data);
  const running = replays?.filter(isUnfinished) ?? [];
  const plan = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/replays/new" {...props} />}
    >
      New replay
    </Button>
  );
  return (
    <Screen
      title="Replays"
      lead="Stored events sent again as new deliveries. Existing delivery history is kept."
      actions={replays !== undefined && replays.length > 0 ? plan : undefined}
    >
      {running.length > 0 && (
        <ul className={classes.running} aria-label="In progress">
          {running.map((replay) => (
            <RunningReplay key={replay.id} replay={replay} />
          ))}
        </ul>
      )}
      <Panel title={running.length > 0 ? 'Finished' : 'History'} flush>
        <PagedList query={query} skeletonRows={4} empty={<NoneYet plan={plan} />}>
          {(all) => <History replays={all} />}
        </PagedList>
      </Panel>
    </Screen>
  );
}

function History({ replays }: { replays: ReplayPlan[] }) {
  const ended = replays.filter((replay) => !isUnfinished(replay));
  return (
    <>
      {replays.length > 0 && ended.length === 0 && (
        <EmptyNote title="No finished replays yet">
          <p>Results are kept here.</p>
        </EmptyNote>
      )}
      <ul>
        {ended.map((replay) => (
          <HistoryRow key={replay.id} replay={replay} />
        ))}
      </ul>
    </>
  );
}

const NoneYet = ({ plan }: { plan: ReactNode }) => (
  <EmptyNote title="No replays yet" icon={<IconHistory size={22} stroke={1.6} />}>
    <p>
      A replay sends stored events again: to a receiver that was down or had a bug, or to a new target that
      needs past events. You choose the events, preview how many match, and set the speed.
    </p>
    <p>
      Each event keeps its <code>webhook-id</code>, so a receiver that stores ids can ignore duplicates.
    </p>
    {plan}
  </EmptyNote>
);
