import { useQuery } from '@tanstack/react-query';
import type { EventDetail } from '../../../../src/contract/event';
import { duplicatesOfEventQuery } from '../../api/duplicates';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { formatNoun } from '../../format/number';
import { DuplicateRow } from './duplicate-row';
import classes from './duplicates-panel.module.css';

/** The same notification, come again: held beside its first until somebody decides; nothing where there is none. */
export function DuplicatesPanel({ event }: { event: EventDetail }) {
  return event.duplicates === 0 ? null : <Repeats event={event} />;
}

function Repeats({ event }: { event: EventDetail }) {
  const query = useQuery(duplicatesOfEventQuery(event.id));
  const { data: duplicates } = query;
  return (
    <Panel
      title="Duplicates"
      aside={<span className={classes.when}>{formatNoun(event.duplicates, 'time')}</span>}
      flush
    >
      <p className={classes.lead}>
        Co-Pilot sent this notification again, byte for byte. Duplicates are held back; releasing one delivers
        it with the same <code>webhook-id</code>.
      </p>
      <PendingData query={query} rows={1} flush />
      <ul>
        {duplicates?.map((duplicate) => (
          <DuplicateRow key={duplicate.id} duplicate={duplicate} />
        ))}
      </ul>
      {duplicates !== undefined && duplicates.length < event.duplicates && (
        <p className={classes.lead}>Showing the newest {duplicates.length}.</p>
      )}
    </Panel>
  );
}
