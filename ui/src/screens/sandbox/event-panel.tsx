import { Button, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SandboxEvent } from '@contract/sandbox';
import { emitEvent } from '../../api/sandbox';
import { ActionOutcome } from '../../components/action-outcome';
import { Panel } from '../../components/panel';
import { EVENT_TYPES } from '../../labels/event-types';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './sandbox-panels.module.css';

type EventType = SandboxEvent['type'];

/** Sends single events. */
export function EventPanel() {
  const emit = useMutation({ mutationFn: emitEvent });
  return (
    <Panel title="One event">
      <div className={classes.parts}>
        <p className={classes.quiet}>Sends a realistic event; updates change an existing record.</p>
        <ul className={classes.types} aria-label="Event types">
          {EVENT_TYPES.map((type) => (
            <li key={type}>
              <Button className={classes.type} onClick={() => emit.mutate({ type })}>
                {type}
              </Button>
            </li>
          ))}
        </ul>
        <details>
          <summary>
            <DisclosureChevron /> Custom payload
          </summary>
          <CustomPayload emit={emit.mutate} />
        </details>
        <ActionOutcome
          done={emit.data === undefined ? null : describeOutcome(emit.data)}
          isPartial={emit.data?.webhooks === 0}
          error={emit.error}
        />
      </div>
    </Panel>
  );
}

const describeOutcome = ({ type, webhooks }: { type: string; webhooks: number }): string =>
  webhooks === 0
    ? `${type} was created but not sent: no active webhook subscribes to it.`
    : `${type} was created and is being sent.`;

function CustomPayload({ emit }: { emit: (event: SandboxEvent) => void }) {
  const [type, setType] = useState<EventType>('deal.updated');
  const [text, setText] = useState('{\n  "id": 42,\n  "name": "My deal"\n}');
  const [jsonError, setJsonError] = useState<string>();
  const send = () => {
    const data = parseObject(text);
    setJsonError(data === null ? 'Enter a JSON object, such as {"id": 42}.' : undefined);
    if (data !== null) emit({ type, data });
  };
  return (
    <div className={classes.custom}>
      <Select
        label="Event type"
        allowDeselect={false}
        data={[...EVENT_TYPES]}
        value={type}
        onChange={(value) => setType(EVENT_TYPES.find((name) => name === value) ?? type)}
      />
      <Textarea
        label="data"
        rows={5}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.code }}
        value={text}
        error={jsonError}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div>
        <Button onClick={send}>Send event</Button>
      </div>
    </div>
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: Record<string, unknown> | null = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
