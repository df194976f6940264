import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { formatCount, formatNoun } from '../../text/format-number';
import type { FailureActs } from './use-failure-acts';

const LONGEST = 500;

/** Asks once for a reason, and says what a discard means. */
export function DiscardDialog({ acts }: { acts: FailureActs }) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const { discarding: what, discard } = acts;
  const [before, setBefore] = useState(what);
  if (what !== before) {
    setBefore(what);
    setReason('');
    setMissing(false);
  }
  const one = what.count === 1;
  const act = () => {
    setMissing(reason.trim() === '');
    if (reason.trim() !== '') discard.mutate({ what, reason: reason.trim() });
  };
  return (
    <ConfirmDialog
      title={`Discard ${formatNoun(what.count, 'dead letter')}?`}
      opened={acts.open}
      close={acts.leave}
      keepWord={one ? 'Keep it' : 'Keep them'}
      actWord={one ? 'Discard it' : `Discard ${formatCount(what.count)}`}
      loses
      pending={discard.isPending}
      error={discard.error}
      act={act}
    >
      <p>
        {one ? 'It is' : 'They are'} not sent again and {one ? 'leaves' : 'leave'} this list; what was tried
        stays on the{' '}
        {one
          ? 'event’s page, with your reason. The event stays'
          : 'events’ pages, with your reason. The events stay'}{' '}
        stored and can be replayed.
      </p>
      {what.stopLanes > 0 && <p>What waits behind in the same lane goes on without {one ? 'it' : 'them'}.</p>}
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
