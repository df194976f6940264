import { IconHistory, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ReplaySummary } from '@contract/replay';
import { isUnfinished, replaysQuery } from '../../api/replays';
import { GuardedButton } from '../../components/guarded-button';
import { EmptyNote } from '../../components/empty-note';
import { itemsOf, PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { HistoryRow } from './history-row';
import classes from './replays-screen.module.css';
import { RunningReplay } from './running-replay';

/** Unfinished replays with their progress, then finished ones. */
export function ReplaysScreen() {
  const query = useInfiniteQuery(replaysQuery);
  const replays = query.data && itemsOf(query.data);
  const unfinished = replays?.filter(isUnfinished) ?? [];
  const newReplayButton = (
    <GuardedButton
      variant="filled"
      leftSection={<IconPlus size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/replays/new" {...props} />}
    >
      New replay
    </GuardedButton>
  );
  return (
    <Screen
      title="Replays"
      lead="A replay sends stored events again, as new deliveries. Earlier deliveries are not changed."
      actions={replays !== undefined && replays.length > 0 ? newReplayButton : undefined}
    >
      {unfinished.length > 0 && (
        <ul className={classes.unfinished} aria-label="In progress">
          {unfinished.map((replay) => (
            <RunningReplay key={replay.id} replay={replay} />
          ))}
        </ul>
      )}
      <Panel title={unfinished.length > 0 ? 'Finished' : 'History'} flush>
        <PagedList query={query} skeletonRows={4} empty={<NoneYet newReplayButton={newReplayButton} />}>
          {(all) => <History replays={all} />}
        </PagedList>
      </Panel>
    </Screen>
  );
}

function History({ replays }: { replays: ReplaySummary[] }) {
  const finished = replays.filter((replay) => !isUnfinished(replay));
  return (
    <>
      {replays.length > 0 && finished.length === 0 && (
        <EmptyNote title="No finished replays yet">
          <p>Replays appear here once they are done or cancelled.</p>
        </EmptyNote>
      )}
      {finished.length > 0 && (
        <div className={`${classes.row} ${classes.columns}`} aria-hidden>
          <span>Replay</span>
          <span>State</span>
          <span className={classes.count}>Events</span>
          <span className={classes.count}>Deliveries</span>
          <span className={classes.when}>Ended</span>
        </div>
      )}
      <ul>
        {finished.map((replay) => (
          <HistoryRow key={replay.id} replay={replay} />
        ))}
      </ul>
    </>
  );
}

const NoneYet = ({ newReplayButton }: { newReplayButton: ReactNode }) => (
  <EmptyNote title="No replays yet" icon={<IconHistory size={22} stroke={1.6} />}>
    <p>
      Start one after a receiver was down or had a bug, or for a new target that needs past events. You choose
      the events, preview how many match, and set the speed.
    </p>
    <p>
      Each event keeps its <code>webhook-id</code>, so a receiver that stores ids can ignore duplicates.
    </p>
    {newReplayButton}
  </EmptyNote>
);
