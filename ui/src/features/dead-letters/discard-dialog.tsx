import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DeadLetterSelection } from '../../api/dead-letters';
import { CopyAs } from '../copy-command/copy-as';
import { changeOfDeadLetters } from '../copy-command/requests';
import { formatCount, formatNoun } from '../../format/number';
import { ConfirmDialog } from '../../components/confirm-dialog';

const MAX_LENGTH = 500;

interface DiscardDialogProps {
  count: number;
  /** Which they are, to offer the same as a command. */
  selection?: DeadLetterSelection;
  /** How many of them block their lane. */
  blockedLanes: number;
  opened: boolean;
  close: () => void;
  pending: boolean;
  error: unknown;
  discard: (reason: string) => void;
}

/** Asks for a reason and explains what discarding does. */
export function DiscardDialog({
  count,
  selection,
  blockedLanes,
  opened,
  close,
  pending,
  error,
  discard,
}: DiscardDialogProps) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) setReason('');
    setMissing(false);
  }
  const isSingle = count === 1;
  const submit = () => {
    const trimmed = reason.trim();
    setMissing(trimmed === '');
    if (trimmed !== '' && !pending) discard(trimmed);
  };
  return (
    <ConfirmDialog
      title={`Discard ${formatNoun(count, 'dead letter')}?`}
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel={isSingle ? 'Discard' : `Discard ${formatCount(count)}`}
      isDestructive
      pending={pending}
      error={error}
      confirm={submit}
    >
      <p>
        {isSingle
          ? 'It will not be retried and is removed from Failures. Its attempts and your reason remain on the event’s page. The event stays stored and can be replayed.'
          : 'They will not be retried and are removed from Failures. Their attempts and your reason remain on the events’ pages. The events stay stored and can be replayed.'}
      </p>
      {blockedLanes > 0 && (
        <p>Deliveries blocked behind {isSingle ? 'it in its lane' : 'them in their lanes'} will resume.</p>
      )}
      <TextInput
        label="Reason"
        placeholder="Resent manually"
        maxLength={MAX_LENGTH}
        data-autofocus
        value={reason}
        error={missing ? 'Enter a reason. It is shown on the event’s page.' : undefined}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') submit();
        }}
      />
      {selection !== undefined && reason.trim() !== '' && (
        <CopyAs lines={() => changeOfDeadLetters('discard', selection, reason.trim())} />
      )}
    </ConfirmDialog>
  );
}
