import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Issue } from '@contract/health';
import { healthQuery } from '../../api/health';
import { addSnooze } from '../../api/snoozes';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { timeOf, UntilField, type End } from '../../components/until-field';
import { labelOf } from './issue-view';

const DEFAULT_END: End = { ms: 3_600_000 };

interface SnoozeDialogProps {
  issue: Issue;
  opened: boolean;
  close: () => void;
}

/** Asks until when to hide an issue. What an operator has done on purpose can be hidden for as long as it lasts. */
export function SnoozeDialog({ issue, opened, close }: SnoozeDialogProps) {
  const cache = useQueryClient();
  const { id, deliberate } = issue;
  const initial = deliberate ? null : DEFAULT_END;
  const [until, setUntil] = useState<End>(initial);
  const snooze = useMutation({
    mutationFn: () => addSnooze({ issue: id, until: timeOf(until) }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: healthQuery.queryKey });
      close();
    },
  });
  return (
    <ConfirmDialog
      title={`Snooze “${labelOf(issue)}”`}
      opened={opened}
      close={close}
      onClosed={() => {
        snooze.reset();
        setUntil(initial);
      }}
      cancelLabel="Cancel"
      confirmLabel="Snooze"
      pending={snooze.isPending}
      error={snooze.error}
      confirm={() => snooze.mutate()}
    >
      <p>Hides it on the Overview for all operators. Nothing else changes.</p>
      <UntilField
        label="For"
        {...(deliberate && { never: 'Until it is resumed' })}
        value={until}
        onChange={(end) => setUntil(end ?? initial)}
      />
    </ConfirmDialog>
  );
}
