import { Link } from '@tanstack/react-router';
import type { ReplaySummary } from '@contract/replay';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { useTargetNames } from '../../features/targets/use-target-names';
import { formatCount } from '../../format/number';
import { describeDestination, REPLAY_LABELS, replayName } from '../../labels/replay-labels';
import classes from './replays-screen.module.css';

/** A finished replay, which links to its results. */
export function HistoryRow({ replay }: { replay: ReplaySummary }) {
  const nameOf = useTargetNames();
  return (
    <li className={classes.row}>
      <span>
        <Link
          to="/replays/$id"
          params={{ id: replay.id }}
          state={{ cameFrom: '/replays' }}
          className={classes.name}
        >
          {replayName(replay, nameOf)}
        </Link>{' '}
        <span className={classes.destination}>to {describeDestination(replay, nameOf)}</span>
      </span>
      <StateBadge state={REPLAY_LABELS[replay.state]} />
      <span className={classes.count}>
        {formatCount(replay.events)}
        <span className={classes.unit}> {replay.events === 1 ? 'event' : 'events'}</span>
      </span>
      <span className={classes.count}>
        {formatCount(replay.deliveries)}
        <span className={classes.unit}> {replay.deliveries === 1 ? 'delivery' : 'deliveries'}</span>
      </span>
      <TimeAgo at={replay.ended_at ?? replay.created_at} className={classes.when} />
    </li>
  );
}
