import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { eventBodyQuery, eventQuery } from '../../api/events';
import { EventWayBack } from '../../components/event-way-back';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { EVENT_WORDS } from '../../text/delivery-words';
import { isOwnType } from '../../text/own-events';
import { DeliveryList } from './delivery-list';
import { DuplicatesPanel } from './duplicates-panel';
import { EntityPanel } from './entity-panel';
import { EventActions } from './event-actions';
import { EventFacts } from './event-facts';
import classes from './event-screen.module.css';
import { readPayload } from '../../payload/payload';
import { PayloadPanel } from './payload-panel';

const route = getRouteApi('/inside/events/$id');

/** One event: what came, and what became of it. */
export function EventScreen() {
  const { id } = route.useParams();
  const { data: event, error, refetch } = useQuery(eventQuery(id));
  const body = useQuery(eventBodyQuery(id));
  const payload = useMemo(() => (body.data === undefined ? undefined : readPayload(body.data)), [body.data]);
  const above = <EventWayBack />;

  if (event === undefined) {
    return (
      <Screen title="Event" above={above}>
        {error === null ? (
          <LoadingRows count={6} height={32} />
        ) : (
          <ErrorNote error={error} retry={() => void refetch()} />
        )}
      </Screen>
    );
  }
  const heading = (
    <div className={classes.heading}>
      <h1 className={classes.type}>{event.type}</h1>
      <StateWord words={EVENT_WORDS[event.status]} strong />
    </div>
  );
  const lead = (
    <span className={classes.lead}>
      {isOwnType(event.type) && <span>made by Switchboard itself</span>}
      {event.entity !== null && (
        <Link
          to="/entities/$entity"
          params={{ entity: event.entity }}
          className={classes.entity}
          title="All its events, with what each changed"
        >
          {event.entity}
        </Link>
      )}
      {event.name !== null && <bdi className={classes.name}>{event.name}</bdi>}
      <span>
        received <TimeAgo at={event.received_at} />
      </span>
    </span>
  );
  return (
    <Screen
      title={event.type}
      above={above}
      heading={heading}
      lead={lead}
      actions={<EventActions event={event} payload={payload} />}
    >
      <div className={classes.columns}>
        <div className={classes.column}>
          <PayloadPanel
            event={event}
            payload={payload}
            error={body.error}
            retry={() => void body.refetch()}
          />
          <EntityPanel event={event} />
        </div>
        <div className={classes.column}>
          <DeliveryList event={event} />
          <DuplicatesPanel event={event} />
          <Panel title="Facts">
            <EventFacts event={event} />
          </Panel>
        </div>
      </div>
    </Screen>
  );
}
