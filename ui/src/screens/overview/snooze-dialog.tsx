import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery } from '../../api/health';
import { sessionQuery } from '../../api/session';
import { addSnooze } from '../../api/snoozes';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { timeOf, UntilField, type End } from '../../components/until-field';
import { StoredChoice } from '../../format/stored-choice';
import type { IssueGroup } from './group-issues';
import { labelOf } from './issue-view';

const DEFAULT_END: End = { ms: 3_600_000 };

/** A user of a proxy has a name; a session with the admin token has none of its own. */
const operatorName = new StoredChoice<string>('switchboard-operator', (text) => text ?? '');

interface SnoozeDialogProps {
  group: IssueGroup;
  opened: boolean;
  close: () => void;
}

/**
 * Asks who acknowledges something, why and until when. What an operator has done on purpose can be acknowledged for as
 * long as it lasts; what is critical only with a note.
 */
export function SnoozeDialog({ group, opened, close }: SnoozeDialogProps) {
  const cache = useQueryClient();
  const { issues, severity } = group;
  const isDeliberate = issues.every(({ deliberate }) => deliberate);
  const initial = isDeliberate ? null : DEFAULT_END;
  const [chosen, setChosen] = useState<End>();
  // What is not deliberate may be added while it is open, or before it is opened.
  const isOffered = chosen !== undefined && (chosen !== null || isDeliberate);
  const until = isOffered ? chosen : initial;
  const { data: session } = useQuery(sessionQuery);
  const operator = operatorName.use();
  const [note, setNote] = useState('');
  const isMissing = severity === 'critical' && note.trim() === '';
  const [isAsked, setAsked] = useState(false);
  const snooze = useMutation({
    mutationFn: () =>
      Promise.all(
        issues.map(({ id }) =>
          addSnooze({
            issue: id,
            until: timeOf(until),
            ...(operator.trim() !== '' && { operator }),
            ...(note.trim() !== '' && { note }),
          }),
        ),
      ),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: healthQuery.queryKey });
      close();
    },
  });
  return (
    <ConfirmDialog
      title={`Acknowledge “${labelOf(group)}”`}
      opened={opened}
      close={close}
      onClosed={() => {
        snooze.reset();
        setChosen(undefined);
        setNote('');
        setAsked(false);
      }}
      cancelLabel="Cancel"
      confirmLabel="Acknowledge"
      pending={snooze.isPending}
      error={snooze.error}
      confirm={() => (isMissing ? setAsked(true) : snooze.mutate())}
    >
      <p>Hides it on the Overview, for all operators, who see your name and note. Nothing else changes.</p>
      {session?.name === null && (
        <TextInput
          label="Your name"
          maxLength={80}
          data-autofocus
          value={operator}
          onChange={({ currentTarget }) => operatorName.set(currentTarget.value)}
        />
      )}
      <TextInput
        {...(session?.name !== null && { 'data-autofocus': true })}
        label={severity === 'critical' ? 'Note' : 'Note (optional)'}
        placeholder="For example, the receiver is being fixed"
        maxLength={500}
        value={note}
        error={isAsked && isMissing ? 'It is critical: write what is being done about it.' : null}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <UntilField
        label="For"
        {...(isDeliberate && { never: 'Until it is resumed' })}
        value={until}
        onChange={setChosen}
      />
    </ConfirmDialog>
  );
}
