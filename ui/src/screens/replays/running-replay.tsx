import { Link } from '@tanstack/react-router';
import type { ReplaySummary } from '@contract/replay';
import { ReplayActions } from '../../features/replays/replay-actions';
import { ReplayProgress } from '../../features/replays/replay-progress';
import { StateBadge } from '../../components/state-badge';
import { useTargetNames } from '../../features/targets/use-target-names';
import {
  describeDestination,
  describeReplayRate,
  REPLAY_LABELS,
  replayName,
} from '../../labels/replay-labels';
import classes from './replays-screen.module.css';

/** A running replay with its progress and actions. */
export function RunningReplay({ replay }: { replay: ReplaySummary }) {
  const nameOf = useTargetNames();
  const name = replayName(replay, nameOf);
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <div className={classes.summary}>
          <Link
            to="/replays/$id"
            params={{ id: replay.id }}
            state={{ cameFrom: '/replays' }}
            className={classes.name}
          >
            {name}
          </Link>
          <div className={classes.destination}>
            to {describeDestination(replay, nameOf)}, {describeReplayRate(replay.rate)}
          </div>
        </div>
        <StateBadge state={REPLAY_LABELS[replay.state]} />
        <ReplayActions replay={replay} name={name} />
      </div>
      <ReplayProgress replay={replay} />
    </li>
  );
}
