import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventDetail } from '../../../../src/contract/event';
import { eventsBeforeQuery } from '../../api/entity-history';
import { HistoryRow } from '../../features/entity-history/history-row';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';

const SHOWN_BEFORE = 4;

/** What this event changed, and the ones before it; nothing where it is about no entity. */
export function EntityPanel({ event }: { event: EventDetail }) {
  return event.entity === null ? null : <Steps event={event} entity={event.entity} />;
}

function Steps({ event, entity }: { event: EventDetail; entity: string }) {
  // One more than is shown, to compare the last one with.
  const query = useQuery(eventsBeforeQuery(entity, event.id, SHOWN_BEFORE + 1));
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
          {[event, ...data].slice(0, SHOWN_BEFORE + 1).map((one, index) => (
            <HistoryRow key={one.id} event={one} previous={data[index] ?? null} isCurrent={index === 0} />
          ))}
        </ol>
      )}
    </Panel>
  );
}
