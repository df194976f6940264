import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ErasurePreview } from '@contract/erasure';
import type { Filter } from '@contract/filter';
import { erasurePreviewQuery, startErasure, type ErasureSubject } from '../../api/erasures';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { PendingData } from '../../components/pending-data';
import stack from '../../components/stack.module.css';
import { formatCount, formatNoun } from '../../format/number';
import { MentionField } from './mention-field';
import { RemainingBackups } from './remaining-backups';

const DEBOUNCE_MS = 400;

interface EraseFormProps {
  subject: ErasureSubject;
  close: () => void;
  onStarted: (id: string) => void;
}

/** Shows what would be erased; asks for a reason, and for the id, since it cannot be undone. */
export function EraseForm({ subject, close, onStarted }: EraseFormProps) {
  const [mentions, setMentions] = useState<Filter | null>(null);
  const [settled] = useDebouncedValue(mentions, DEBOUNCE_MS);
  const selection = settled === null ? subject : { ...subject, mentions: settled };
  const query = useQuery(erasurePreviewQuery(selection));
  const { data: preview, isPlaceholderData } = query;
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [isAsked, setAsked] = useState(false);
  const id = 'entity' in subject ? subject.entity : subject.event_id;
  const erase = useMutation({
    mutationFn: async (shown: ErasurePreview) => {
      const { data: latest = shown } = await query.refetch({ throwOnError: true });
      // What has arrived meanwhile is shown first.
      if (countOf(latest) > countOf(shown)) return null;
      return startErasure({ ...selection, reason: reason.trim(), until_seq: latest.until_seq });
    },
    onSuccess: (started) => started !== null && onStarted(started.id),
  });
  const isComplete = reason.trim() !== '' && typed.trim() === id;
  return (
    <>
      <div className={stack.small}>
        <PendingData query={query} rows={4} />
        {preview !== undefined && (
          <>
            <p>
              {describe(preview, subject)} <strong>This cannot be undone.</strong>
            </p>
            <RemainingBackups backups={preview.backups} />
          </>
        )}
        {'entity' in subject && <MentionField mentioned={preview?.mentioned ?? null} change={setMentions} />}
        <TextInput
          label="Reason"
          placeholder="For example, the request of a person to be forgotten"
          maxLength={500}
          data-autofocus
          value={reason}
          error={isAsked && reason.trim() === '' && 'The record of the erasure shows it.'}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <TextInput
          label={`Type ${id}`}
          autoComplete="off"
          value={typed}
          error={isAsked && typed.trim() !== id && `Type ${id} to confirm.`}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {erase.data === null && (
          <p role="alert">More events have arrived: press Erase again to include them.</p>
        )}
        {erase.error !== null && <ErrorNote error={erase.error} />}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button onClick={close}>Cancel</Button>
        <ActionButton
          needs="admin"
          variant="filled"
          color="red"
          pending={erase.isPending || isPlaceholderData || mentions !== settled}
          action={() => (isComplete && preview !== undefined ? erase.mutate(preview) : setAsked(true))}
        >
          Erase
        </ActionButton>
      </Group>
    </>
  );
}

const countOf = ({ events, mentioned }: ErasurePreview) => events + (mentioned?.events ?? 0);

function describe({ events, estimated, states, queued }: ErasurePreview, subject: ErasureSubject): string {
  const what =
    'entity' in subject
      ? `${estimated ? 'About ' : ''}${formatNoun(events, 'event')} ${events === 1 ? 'loses its' : 'lose their'} content`
      : 'The event loses its content';
  const removed =
    states === 0
      ? ''
      : ` ${formatNoun(states, 'state')} kept without an event ${states === 1 ? 'goes' : 'go'} too.`;
  const cancelled =
    queued === 0
      ? ''
      : ` ${formatCount(queued)} ${queued === 1 ? 'delivery that is queued or a dead letter is' : 'deliveries that are queued or dead letters are'} cancelled.`;
  return `${what}: payload, name, entity and headers. Ids, times and states of deliveries are kept.${removed}${cancelled}`;
}
