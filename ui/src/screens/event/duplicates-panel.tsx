import { useQuery } from '@tanstack/react-query';
import type { EventDetail } from '@contract/event';
import { duplicatesOfEventQuery } from '../../api/duplicates';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { formatNoun } from '../../format/number';
import { DuplicateRow } from './duplicate-row';
import classes from './duplicates-panel.module.css';

/** The duplicates of an event, held back until the operator decides. */
export function DuplicatesPanel({ event }: { event: EventDetail }) {
  return event.duplicates === 0 ? null : <DuplicateList event={event} />;
}

function DuplicateList({ event }: { event: EventDetail }) {
  const query = useQuery(duplicatesOfEventQuery(event.id));
  const { data: duplicates } = query;
  return (
    <Panel
      title="Duplicates"
      aside={<span className={classes.when}>{formatNoun(event.duplicates, 'time')}</span>}
      flush
    >
      <PanelText>
        Co&#8209;Pilot sent this notification again, byte for byte. Duplicates are held back; releasing one
        delivers it with the same <code>webhook-id</code>.
      </PanelText>
      <PendingData query={query} rows={1} flush />
      <ul>
        {duplicates?.map((duplicate) => (
          <DuplicateRow key={duplicate.id} duplicate={duplicate} />
        ))}
      </ul>
      {duplicates !== undefined && duplicates.length < event.duplicates && (
        <PanelText>Showing the newest {duplicates.length}.</PanelText>
      )}
    </Panel>
  );
}
