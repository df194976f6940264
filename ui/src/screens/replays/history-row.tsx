import { Link } from '@tanstack/react-router';
import type { ReplayPlan } from '../../../../src/contract/replay';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { useTargetNames } from '../../features/targets/use-target-names';
import { formatNoun } from '../../format/number';
import { replayName } from '../../labels/replay-name';
import { REPLAY_LABELS } from '../../labels/replay-labels';
import classes from './replays-screen.module.css';

/** A replay that has ended; its report is behind it. */
export function HistoryRow({ replay }: { replay: ReplayPlan }) {
  const nameOf = useTargetNames();
  return (
    <li className={classes.row}>
      <Link
        to="/replays/$id"
        params={{ id: replay.id }}
        state={{ cameFrom: '/replays' }}
        className={classes.name}
      >
        {replayName(replay, nameOf)}
      </Link>
      <StateBadge state={REPLAY_LABELS[replay.state]} />
      <span className={classes.count}>
        {formatNoun(replay.events, 'event')}, {formatNoun(replay.deliveries, 'delivery', 'deliveries')}
      </span>
      <TimeAgo at={replay.ended_at ?? replay.created_at} className={classes.when} />
    </li>
  );
}
