import { Link } from '@tanstack/react-router';
import type { EventSummary } from '@contract/event';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { Difference } from './difference';
import classes from './history-row.module.css';

interface HistoryRowProps {
  event: EventSummary;
  /** The previous event of the same entity; null if there is none. */
  previous: EventSummary | null;
  /** Whether the screen is about this event. */
  isCurrent?: boolean;
}

/** An event of an entity and what it changed. */
export function HistoryRow({ event, previous, isCurrent = false }: HistoryRowProps) {
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
      {previous !== null && arrivedLate(event, previous) && (
        <p className={classes.quiet}>This event occurred before the one below but arrived after it.</p>
      )}
      {previous === null ? (
        <p className={classes.quiet}>First stored event.</p>
      ) : (
        <Difference event={event} previous={previous} />
      )}
    </li>
  );
}

const arrivedLate = (event: EventSummary, previous: EventSummary): boolean =>
  event.occurred_at !== null && previous.occurred_at !== null && event.occurred_at < previous.occurred_at;
