import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatNoun } from '../../format/number';
import { ConfirmDialog } from '../../components/confirm-dialog';

const MAX_LENGTH = 500;

interface DiscardDialogProps {
  count: number;
  /** How many of them hold up what is behind them. */
  stopLanes: number;
  opened: boolean;
  close: () => void;
  pending: boolean;
  error: unknown;
  discard: (reason: string) => void;
}

/** Asks once for a reason, and says what a discard means. */
export function DiscardDialog({
  count,
  stopLanes,
  opened,
  close,
  pending,
  error,
  discard,
}: DiscardDialogProps) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const [before, setBefore] = useState(opened);
  if (opened !== before) {
    setBefore(opened);
    if (opened) setReason('');
    setMissing(false);
  }
  const one = count === 1;
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
      confirmLabel={one ? 'Discard' : `Discard ${formatCount(count)}`}
      isDestructive
      pending={pending}
      error={error}
      confirm={submit}
    >
      <p>
        {one
          ? 'It will not be retried and is removed from Failures. Its attempts and your reason remain on the event’s page. The event stays stored and can be replayed.'
          : 'They will not be retried and are removed from Failures. Their attempts and your reason remain on the events’ pages. The events stay stored and can be replayed.'}
      </p>
      {stopLanes > 0 && (
        <p>Deliveries blocked behind {one ? 'it in its lane' : 'them in their lanes'} resume.</p>
      )}
      <TextInput
        label="Reason"
        placeholder="Resent by other means"
        maxLength={MAX_LENGTH}
        data-autofocus
        value={reason}
        error={missing ? 'Enter a reason. It is shown on the event’s page.' : undefined}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') submit();
        }}
      />
    </ConfirmDialog>
  );
}
