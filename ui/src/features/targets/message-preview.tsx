import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessagePreview as Message, MessagePreviewQuery } from '@contract/target-test';
import { messagePreviewQuery } from '../../api/targets';
import stack from '../../components/stack.module.css';
import { TextBlock } from '../../components/text-block';

const STATES: { value: MessagePreviewQuery['state']; label: string }[] = [
  { value: 'raised', label: 'An alert is raised' },
  { value: 'repeated', label: 'It is still active' },
  { value: 'resolved', label: 'It is resolved' },
];

/** The message that a target with this format is sent about an alert. */
export function MessagePreview({ format }: { format: MessagePreviewQuery['format'] }) {
  const [state, setState] = useState<MessagePreviewQuery['state']>('raised');
  const { data, error } = useQuery(messagePreviewQuery(format, state));
  return (
    <div className={stack.small}>
      <NativeSelect
        label="Preview"
        description="The request that is sent when"
        data={STATES}
        value={state}
        onChange={({ currentTarget }) =>
          setState(STATES.find(({ value }) => value === currentTarget.value)?.value ?? 'raised')
        }
      />
      {data !== undefined && (
        <TextBlock label="Message" scrolls>
          {textOf(data)}
        </TextBlock>
      )}
      {error !== null && <p>The preview could not be loaded.</p>}
    </div>
  );
}

function textOf({ headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  return [...lines, '', isJson ? JSON.stringify(JSON.parse(body), null, 2) : body].join('\n');
}
