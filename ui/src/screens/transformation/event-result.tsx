import { NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '@contract/target';
import type { TransformFailure, TransformTest } from '@contract/transform';
import { eventBodyQuery, newestAcceptedQuery } from '../../api/events';
import { runTests, transformPreviewQuery } from '../../api/transforms';
import { ActionButton } from '../../components/action-button';
import { EmptyNote } from '../../components/empty-note';
import { ErrorNote } from '../../components/error-note';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TextBlock } from '../../components/text-block';
import { formatJsonText } from '../../payload/format-json-text';
import { formatJson } from '../../format/json';
import { formatClock, formatDay } from '../../format/exact';
import note from '../../components/note.module.css';
import stack from '../../components/stack.module.css';

interface EventResultProps {
  target: Target;
  made: { expression: string; content_type: string };
  addTest: (test: TransformTest) => void;
}

/** A stored event, and what the expression makes of it while it is typed. */
export function EventResult({ target, made, addTest }: EventResultProps) {
  const [chosen, setChosen] = useState<string>();
  const events = useQuery(newestAcceptedQuery(target.events));
  const event = events.data?.find(({ id }) => id === chosen) ?? events.data?.[0];
  const id = event?.id ?? '';
  const body = useQuery({ ...eventBodyQuery(id), enabled: event !== undefined });
  const text = body.data && new TextDecoder().decode(body.data);
  const preview = useQuery({
    ...transformPreviewQuery(made, target.name, id),
    enabled: event !== undefined && made.expression !== '',
  });
  const [result] = preview.data?.data ?? [];
  const before = result !== undefined &&
    'previous' in result && { previous: result.previous, previous_event_id: result.previous_event_id };
  const make = useMutation({
    mutationFn: async () => {
      const test = {
        name: `${event!.type} ${event!.seq}`,
        input: JSON.parse(text!) as unknown,
        expected: null,
        ...before,
        from_event_id: id,
      };
      const { data } = await runTests(target.id, made, [test]);
      return { ...test, expected: data[0]?.output };
    },
    onSuccess: addTest,
  });
  return (
    <>
      <Panel title="Event">
        <PendingData query={events} rows={3} />
        {events.data?.length === 0 && (
          <EmptyNote title="No event yet">
            <p>No stored event has one of the types that the target receives.</p>
          </EmptyNote>
        )}
        {event !== undefined && (
          <div className={stack.medium}>
            <NativeSelect
              label="Stored event"
              data={events.data!.map((one) => ({
                value: one.id,
                label: [
                  one.type,
                  `${formatDay(one.received_at)} ${formatClock(one.received_at)}`,
                  ...(one.name === null ? [] : [one.name]),
                ].join(' · '),
              }))}
              value={id}
              onChange={({ currentTarget: { value } }) => setChosen(value)}
            />
            {text !== undefined && <TextBlock label="Payload">{formatJsonText(text)}</TextBlock>}
            {before && (
              <>
                <p>Before it, as $previous:</p>
                <TextBlock label="$previous">{formatJson(before.previous)}</TextBlock>
              </>
            )}
            {!before && result && made.expression.includes('$previous') && (
              <p>$previous has no value: nothing is known of the time before this event.</p>
            )}
          </div>
        )}
      </Panel>
      <Panel
        title="Result"
        aside={
          <ActionButton
            pending={make.isPending}
            because={
              (result?.ok !== true || preview.isPlaceholderData) &&
              'The expression has no result with this event.'
            }
            action={() => make.mutate()}
          >
            Make a test of this
          </ActionButton>
        }
      >
        {preview.error !== null && <ErrorNote error={preview.error} />}
        {make.error !== null && <ErrorNote error={make.error} />}
        <div aria-live="polite">
          {result?.ok === true && (
            <TextBlock label="Body">
              {typeof result.output === 'string' ? result.output : formatJson(result.output)}
            </TextBlock>
          )}
          {result?.error !== undefined && (
            <p className={note.note} data-tone="bad">
              {failureLabel(result.error)}
            </p>
          )}
        </div>
      </Panel>
    </>
  );
}

export const failureLabel = ({ code, position, message }: TransformFailure): string =>
  `${position === null ? code : `${code} at character ${position}`}: ${message}`;
