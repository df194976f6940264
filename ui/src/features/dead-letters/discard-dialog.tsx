import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatNoun } from '../../format/number';
import { ConfirmDialog } from '../../components/confirm-dialog';

const LONGEST = 500;

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
  const act = () => {
    const given = reason.trim();
    setMissing(given === '');
    if (given !== '' && !pending) discard(given);
  };
  return (
    <ConfirmDialog
      title={`Discard ${formatNoun(count, 'dead letter')}?`}
      opened={opened}
      close={close}
      keepWord={one ? 'Keep it' : 'Keep them'}
      actWord={one ? 'Discard it' : `Discard ${formatCount(count)}`}
      loses
      pending={pending}
      error={error}
      act={act}
    >
      <p>
        {one
          ? 'It is not sent again and leaves the failures. Its tries stay on the event’s page, with your reason; the event stays stored and can be replayed.'
          : 'They are not sent again and leave the failures. Their tries stay on the events’ pages, with your reason; the events stay stored and can be replayed.'}
      </p>
      {stopLanes > 0 && <p>What waits behind {one ? 'it in its lane' : 'them in their lanes'} goes on.</p>}
      <TextInput
        label="Reason"
        placeholder="Sent by other means"
        maxLength={LONGEST}
        data-autofocus
        value={reason}
        error={missing ? 'Say why: whoever looks at the event later will want to know.' : undefined}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') act();
        }}
      />
    </ConfirmDialog>
  );
}
