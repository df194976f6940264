import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { useMemo } from 'react';
import { eventBodyQuery, eventQuery, explanationQuery } from '../../api/events';
import { Column } from '../../components/columns';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { TimeAgo } from '../../components/time-ago';
import { eventLabel } from '../../labels/delivery-labels';
import { localizeTimes } from '../../format/exact';
import { isSystemEvent } from '../../labels/system-events';
import { DeliveryList } from '../../features/event-deliveries/delivery-list';
import { DuplicatesPanel } from './duplicates-panel';
import { EntityPanel } from './entity-panel';
import { EventActions } from './event-actions';
import { EventFacts } from './event-facts';
import classes from './event-screen.module.css';
import { readPayload } from '../../payload/payload';
import { PayloadPanel } from './payload-panel';
import { BackLink } from '../../components/back-link';

const route = getRouteApi('/signed-in/events/$id');

/** An event: what became of it, its payload and changes. */
export function EventScreen() {
  const { id } = route.useParams();
  const query = useQuery(eventQuery(id));
  const { data: event } = query;
  const explanation = useQuery(explanationQuery(id));
  const erasedAt = event?.erased_at ?? null;
  const body = useQuery({ ...eventBodyQuery(id), enabled: erasedAt === null });
  const payload = useMemo(() => (body.data === undefined ? undefined : readPayload(body.data)), [body.data]);
  const above = <EventBackLink />;

  // Both at once, so that nothing moves.
  if (event === undefined || explanation.isPending) {
    return (
      <Screen title="Event" above={above}>
        <PendingData query={query} />
      </Screen>
    );
  }
  const lead = (
    <>
      {explanation.data !== undefined && (
        <p className={classes.summary}>{localizeTimes(explanation.data.summary)}</p>
      )}
      <span className={classes.lead}>
        {isSystemEvent(event.type) && <span>system event</span>}
        {event.repair_id !== null && <span title="Made by a repair, not sent by Co-Pilot">Synthetic</span>}
        {event.entity !== null && (
          <Link
            to="/entities/$entity"
            params={{ entity: event.entity }}
            className={classes.entity}
            title="All events of this entity, with their changes"
          >
            {event.entity}
          </Link>
        )}
        {event.name !== null && <bdi className={classes.name}>{event.name}</bdi>}
        <span>
          received <TimeAgo at={event.received_at} />
        </span>
      </span>
    </>
  );
  return (
    <Screen
      title={event.type}
      above={above}
      heading={
        <h1>
          <Mono>{event.type}</Mono>
        </h1>
      }
      state={eventLabel(event)}
      lead={lead}
      actions={<EventActions event={event} payload={payload} />}
    >
      <div className={classes.parts}>
        <div className={classes.deliveries}>
          <DeliveryList event={event} />
        </div>
        <div className={classes.content}>
          <Column>
            {erasedAt === null ? (
              <PayloadPanel
                event={event}
                payload={payload}
                error={body.error}
                retry={() => void body.refetch()}
              />
            ) : (
              <Panel title="Payload">
                <p>
                  Erased <TimeAgo at={erasedAt} />. Its delivery history is kept.
                </p>
              </Panel>
            )}
            <EntityPanel event={event} />
          </Column>
        </div>
        <div className={classes.details}>
          <Column>
            <DuplicatesPanel event={event} />
            <Panel title="Details">
              <EventFacts event={event} />
            </Panel>
          </Column>
        </div>
      </div>
    </Screen>
  );
}

/** Leads to the live list if the user came from there, otherwise to all events. */
function EventBackLink() {
  const isLive = useLocation({ select: ({ state }) => state.cameFrom === '/live' });
  return isLive ? <BackLink to="/live">Live</BackLink> : <BackLink to="/events">Events</BackLink>;
}
