import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventSummary } from '../../../../src/contract/event';
import { latestEventsQuery } from '../../api/events';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { EVENT_WORDS } from '../../text/delivery-words';
import { withLocalTimes } from '../../text/local-times';
import { isOwnType } from '../../text/own-events';
import classes from './latest-events.module.css';

/** The handful that came last, and the ways to the rest. */
export function LatestEvents() {
  const { data: events, error, refetch } = useQuery(latestEventsQuery);
  return (
    <Panel title="Latest events" flush aside={<Link to="/live">Watch live</Link>}>
      <div className={events?.length === 0 ? undefined : classes.place}>
        {events === undefined && error === null && <LoadingRows count={6} />}
        {events === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
        {events?.length === 0 && (
          <p className={classes.none}>
            None yet. Change something in Co-Pilot, a deal’s status for example: it appears here within a
            second.
          </p>
        )}
        <ul>
          {events?.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function Row({ event: { id, type, entity, name, status, received_at: at } }: { event: EventSummary }) {
  return (
    <li>
      <Link to="/events/$id" params={{ id }} className={classes.row} data-row>
        <TimeAgo at={at} className={classes.time} />
        <span className={classes.type}>{type}</span>
        <span className={classes.entity}>{entity ?? '–'}</span>
        <bdi className={classes.name}>{isOwnType(type) ? withLocalTimes(name ?? '') : name}</bdi>
        <StateWord words={EVENT_WORDS[status]} />
      </Link>
    </li>
  );
}
