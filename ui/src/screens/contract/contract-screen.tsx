import { IconBraces } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { payloadTypesQuery } from '../../api/payload-types';
import { EmptyNote } from '../../components/empty-note';
import note from '../../components/note.module.css';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import { ExportSchemas } from '../../features/schemas/export-schemas';
import { TypeRow, TypeRowHead } from './type-row';

const NOT_WATCHING =
  'New events are not examined: SWITCHBOARD_CONTRACT_WATCH is off, or examining them has failed and the log says why.';

/** The schemas of the payloads by event type, learned from the stored events. */
export function ContractScreen() {
  const query = useQuery(payloadTypesQuery);
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(list);
  const { data: types = [], watching } = query.data ?? {};
  return (
    <Screen
      title="Contract"
      lead="What the payloads of each event type look like, learned from the stored events."
      actions={types.length > 0 ? <ExportSchemas /> : undefined}
    >
      {watching === false && types.length > 0 && <p className={note.note}>{NOT_WATCHING}</p>}
      <Panel title="Event types" flush>
        <PendingData query={query} rows={8} flush />
        {query.data !== undefined && types.length === 0 && (
          <EmptyNote title="No schemas yet" icon={<IconBraces size={22} stroke={1.6} />}>
            <p>
              {watching === false
                ? NOT_WATCHING
                : 'Each event from Co-Pilot is examined within seconds. Fields, types and changes then appear here.'}
            </p>
          </EmptyNote>
        )}
        {types.length > 0 && <TypeRowHead />}
        <ul ref={list}>
          {types.map((type) => (
            <TypeRow key={type.type} type={type} />
          ))}
        </ul>
      </Panel>
    </Screen>
  );
}
