import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventDetail } from '@contract/event';
import { eventsBeforeQuery } from '../../api/entity-history';
import { HistoryRow } from '../../features/entity-history/history-row';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';

const SHOWN_BEFORE = 4;

/** What this event and the ones before it changed. Not shown for events without an entity. */
export function EntityPanel({ event }: { event: EventDetail }) {
  return event.entity === null ? null : <RecentChanges event={event} entity={event.entity} />;
}

function RecentChanges({ event, entity }: { event: EventDetail; entity: string }) {
  const query = useQuery(eventsBeforeQuery(entity, event.id, SHOWN_BEFORE));
  const { data } = query;
  return (
    <Panel
      title="What changed"
      flush
      aside={
        <Link to="/entities/$entity" params={{ entity }}>
          All events of {entity}
        </Link>
      }
    >
      <PendingData query={query} rows={3} flush />
      {data !== undefined && (
        <ol>
          {[event, ...data].map((shown, index) => (
            <HistoryRow key={shown.id} event={shown} isCurrent={index === 0} />
          ))}
        </ol>
      )}
    </Panel>
  );
}
