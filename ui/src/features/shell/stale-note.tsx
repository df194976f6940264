import { TimeAgo } from '../../components/time-ago';
import { useLive } from '../../live/live-context';
import { useLoss } from '../../live/use-loss';
import classes from './stale-note.module.css';

/** Says on every screen that what it shows is old, while the connection to Switchboard is lost. */
export function StaleNote() {
  const loss = useLoss();
  return loss === null ? null : <Note hasLeader={loss !== 'no_leader'} />;
}

function Note({ hasLeader }: { hasLeader: boolean }) {
  const lostAt = new Date(useLive().since).toISOString();
  if (hasLeader)
    return (
      <output className={classes.note}>
        Not up to date: the connection to Switchboard was lost <TimeAgo at={lostAt} />. This page shows the
        last known data, and actions may fail.
      </output>
    );
  return (
    <output className={classes.note}>
      No daemon leads at the moment: the leader was lost <TimeAgo at={lostAt} />. Another one takes over
      within seconds, and this page continues. Notifications are received meanwhile.
    </output>
  );
}
