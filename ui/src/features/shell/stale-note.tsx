import { useState } from 'react';
import { TimeAgo } from '../../components/time-ago';
import { useLiveState } from '../../live/live-context';
import classes from './stale-note.module.css';

/** Says on every screen that what it shows is old, while the connection to Switchboard is lost. */
export const StaleNote = () => (useLiveState() === 'lost' ? <Note /> : null);

function Note() {
  const [lostAt] = useState(() => new Date().toISOString());
  return (
    <output className={classes.note}>
      Not up to date: the connection to Switchboard was lost <TimeAgo at={lostAt} />. This page shows the last
      known data, and actions may fail.
    </output>
  );
}
