import { Button, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SandboxEvent } from '../../../../src/contract/sandbox';
import { emitEvent } from '../../api/sandbox';
import { ActionOutcome } from '../../components/action-outcome';
import { Panel } from '../../components/panel';
import { EVENT_TYPES } from '../../labels/event-types';
import classes from './sandbox-panels.module.css';

type EventType = SandboxEvent['type'];

/** Any of Co-Pilot's events by hand. */
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
          <summary>Custom payload</summary>
          <OwnContent emit={emit.mutate} />
        </details>
        <ActionOutcome done={emit.data === undefined ? null : outcomeOf(emit.data)} error={emit.error} />
      </div>
    </Panel>
  );
}

const outcomeOf = ({ type, webhooks }: { type: string; webhooks: number }): string =>
  webhooks === 0
    ? `${type} was created but not sent: no active webhook subscribes to it.`
    : `${type} was created and is being sent.`;

function OwnContent({ emit }: { emit: (event: SandboxEvent) => void }) {
  const [type, setType] = useState<EventType>('deal.updated');
  const [text, setText] = useState('{\n  "id": 42,\n  "name": "My deal"\n}');
  const [jsonError, setJsonError] = useState<string>();
  const send = () => {
    const data = objectIn(text);
    setJsonError(data === null ? 'Enter a JSON object, such as {"id": 42}.' : undefined);
    if (data !== null) emit({ type, data });
  };
  return (
    <div className={classes.own}>
      <Select
        label="Event type"
        allowDeselect={false}
        data={[...EVENT_TYPES]}
        value={type}
        onChange={(chosen) => setType(EVENT_TYPES.find((one) => one === chosen) ?? type)}
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

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: Record<string, unknown> | null = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
