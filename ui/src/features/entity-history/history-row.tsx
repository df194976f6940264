import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventSummary } from '@contract/event';
import { eventChangesQuery } from '../../api/entities';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { Changes } from './changes';
import classes from './history-row.module.css';

interface HistoryRowProps {
  event: EventSummary;
  /** Whether the screen is about this event. */
  isCurrent?: boolean;
}

/** An event of an entity and what it changed in the state that was known before. */
export function HistoryRow({ event, isCurrent = false }: HistoryRowProps) {
  return (
    <li className={classes.row} aria-current={isCurrent || undefined}>
      <div className={classes.head}>
        {isCurrent ? (
          <span className={classes.type}>{event.type}</span>
        ) : (
          <Link to="/events/$id" params={{ id: event.id }} className={classes.type}>
            {event.type}
          </Link>
        )}
        {isCurrent && <span className={classes.quiet}>this event</span>}
        <StateBadge state={EVENT_LABELS[event.status]} />
        <TimeAgo at={event.received_at} className={classes.when} />
      </div>
      <ChangesOf event={event} />
    </li>
  );
}

function ChangesOf({ event: { id, unreadable } }: { event: EventSummary }) {
  const { data, error, refetch } = useQuery(eventChangesQuery(id));
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows count={1} />;
  const { previous, late, known_event_id: knownId, changes, truncated } = data;
  if (unreadable !== null) return <p className={classes.quiet}>Cannot be compared: {unreadable}</p>;
  return (
    <>
      {late && knownId !== null && (
        <p className={classes.late}>
          Late: older than what was already known{' '}
          <Link to="/events/$id" params={{ id: knownId }}>
            ({knownId})
          </Link>
          . The state did not change.
        </p>
      )}
      {previous === 'known' ? (
        <Changes data={changes} outsideData={[]} />
      ) : (
        <p className={classes.quiet}>{previous === 'none' ? 'Created the entity.' : 'First stored event.'}</p>
      )}
      {truncated && <p className={classes.quiet}>Only the first {changes.length} differences are shown.</p>}
    </>
  );
}
