import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventType } from '../../../../src/protocol/event-types';
import { eventBodyQuery, newestOfTypeQuery } from '../../api/events';
import { BackLink } from '../../components/back-link';
import { Columns } from '../../components/columns';
import { GuardedPart } from '../../components/guarded-part';
import { LeaveGuard } from '../../components/leave-guard';
import { LoadingPanels } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import stack from '../../components/stack.module.css';
import { EVENT_TYPES } from '../../labels/event-types';
import { describeJsonError } from '../../payload/describe-json-error';
import { bodyOf, sampleData } from './sample-body';
import { TargetMatches } from './target-matches';
import classes from './test-event-screen.module.css';

/** Composes an event, shows which targets would receive it, and sends it to one of them. */
export function TestEventScreen() {
  const [type, setType] = useState<EventType>('deal.updated');
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Screen
      title="Test event"
      above={<BackLink to="/targets">Targets</BackLink>}
      lead="Compose an event, see which targets would receive it, and send it to one of them. Nothing is stored."
    >
      <GuardedPart needs="operate">
        <LeaveGuard when={typed !== null} title="Leave without saving?">
          A test event is not stored: what you typed would be lost.
        </LeaveGuard>
        <Sampled type={type} setType={setType} typed={typed} setTyped={setTyped} />
      </GuardedPart>
    </Screen>
  );
}

interface DraftProps {
  type: EventType;
  setType: (type: EventType) => void;
  /** Null: the sample of the type. */
  typed: string | null;
  setTyped: (data: string | null) => void;
}

/** The editor, once the newest event of the type is there to begin with. */
function Sampled(draft: DraftProps) {
  const newest = useQuery(newestOfTypeQuery(draft.type));
  const id = newest.data?.id;
  const body = useQuery({ ...eventBodyQuery(id ?? ''), enabled: id !== undefined });
  const isReady = newest.isError || newest.data === null || !body.isPending;
  if (!isReady) return <LoadingPanels />;
  return <Editor {...draft} sample={sampleData(body.data)} isStored={body.data !== undefined} />;
}

interface EditorProps extends DraftProps {
  sample: string;
  isStored: boolean;
}

function Editor({ type, setType, typed, setTyped, sample, isStored }: EditorProps) {
  const data = typed ?? sample;
  const error = describeJsonError(data);
  const [at] = useState(() => new Date().toISOString());
  const raw = bodyOf(type, at, data);
  const sampleDescription = isStored
    ? 'From the newest event of this type.'
    : 'No event of this type is stored yet.';
  return (
    <Columns shares={[1, 1]}>
      <Panel title="Event">
        <div className={stack.medium}>
          <NativeSelect
            label="Type"
            data={[...EVENT_TYPES]}
            value={type}
            onChange={({ currentTarget }) =>
              setType(EVENT_TYPES.find((one) => one === currentTarget.value) ?? type)
            }
          />
          <Textarea
            label="data"
            description={typed === null ? sampleDescription : 'Edited.'}
            rows={16}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: classes.code }}
            value={data}
            error={error}
            onChange={({ currentTarget: { value } }) => setTyped(value === sample ? null : value)}
          />
          {typed !== null && (
            <div>
              <Button onClick={() => setTyped(null)}>Use the sample again</Button>
            </div>
          )}
        </div>
      </Panel>
      <TargetMatches type={type} raw={raw} isValid={error === undefined} />
    </Columns>
  );
}
