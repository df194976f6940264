import { Link } from '@tanstack/react-router';
import type { ReplayPlan } from '../../../../src/contract/replay';
import { ReplayActions } from '../../features/replays/replay-actions';
import { ReplayProgress } from '../../features/replays/replay-progress';
import { StateBadge } from '../../components/state-badge';
import { useTargetNames } from '../../features/targets/use-target-names';
import { replayName } from '../../labels/replay-name';
import { describeReplayRate, REPLAY_LABELS } from '../../labels/replay-labels';
import classes from './replays-screen.module.css';

/** A replay under way: what it is, how far, and how to stop it. */
export function RunningReplay({ replay }: { replay: ReplayPlan }) {
  const nameOf = useTargetNames();
  const name = replayName(replay, nameOf);
  const where = replay.target_ids?.map(nameOf).join(', ') ?? 'original targets';
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <div className={classes.what}>
          <Link
            to="/replays/$id"
            params={{ id: replay.id }}
            state={{ cameFrom: '/replays' }}
            className={classes.name}
          >
            {name}
          </Link>
          <div className={classes.how}>
            to {where}, {describeReplayRate(replay.rate)}
          </div>
        </div>
        <StateBadge state={REPLAY_LABELS[replay.state]} />
        <ReplayActions replay={replay} name={name} />
      </div>
      <ReplayProgress replay={replay} />
    </li>
  );
}
