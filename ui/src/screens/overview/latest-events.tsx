import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventSummary } from '@contract/event';
import { latestEventsQuery } from '../../api/events';
import { Panel } from '../../components/panel';
import line from '../../components/line.module.css';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { localizeTimes } from '../../format/exact';
import { EventStatusCell } from '../../features/event-list/event-status';
import { FirstEventHint } from '../../features/event-list/first-event-hint';
import { isSystemEvent } from '../../labels/system-events';
import classes from './latest-events.module.css';

/** The latest events. */
export function LatestEvents() {
  const query = useQuery(latestEventsQuery);
  const { data: events } = query;
  return (
    <Panel title="Latest events" flush aside={<Link to="/live">Watch live</Link>}>
      <div className={events?.length === 0 ? undefined : classes.place}>
        <PendingData query={query} rows={6} flush />
        {events?.length === 0 && (
          <p className={classes.none}>
            No events yet. <FirstEventHint />
          </p>
        )}
        <ul data-narrow>
          {events?.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function Row({ event }: { event: EventSummary }) {
  const { id, type, entity, name, received_at: at } = event;
  return (
    <li>
      <Link to="/events/$id" params={{ id }} className={`${line.line} ${classes.row}`} data-row>
        <TimeAgo at={at} className={`${line.time} ${classes.time}`} />
        <span className={`${line.mono} ${classes.type}`}>{type}</span>
        <span className={`${line.mono} ${classes.entity}`}>{entity ?? '–'}</span>
        <bdi className={classes.name}>{isSystemEvent(type) ? localizeTimes(name ?? '') : name}</bdi>
        <EventStatusCell event={event} />
      </Link>
    </li>
  );
}
