import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { pauseTargets, resumeTargets } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notifyFailure } from '../../components/notify-failure';
import { notifyUndoable } from '../../components/notify-action';
import { timeOf, UntilField, type End } from '../../components/until-field';
import { formatTime } from '../../format/time-range';

interface PauseDialogProps {
  /** What is paused: a name, `3 targets`, `all targets`. */
  what: string;
  /** All targets if omitted. */
  ids?: readonly string[];
  /** The names of targets that are for alerts, and stay active. */
  forAlerts?: readonly string[];
  /** The names of targets that are paused already, and stay as they are. */
  paused?: readonly string[];
  opened: boolean;
  close: () => void;
}

/** Asks why and until when to pause targets. */
export function PauseDialog({ what, ids, forAlerts = [], paused = [], opened, close }: PauseDialogProps) {
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<End>(null);
  const reload = () => cache.invalidateQueries({ queryKey: ['targets'] });
  const pause = useMutation({
    mutationFn: () =>
      pauseTargets({
        ...(ids === undefined ? { all: true } : { target_ids: [...ids] }),
        ...(reason.trim() !== '' && { reason }),
        ...(until !== null && { until: timeOf(until) }),
      }),
    onSuccess: (changed) => {
      void reload();
      close();
      if (changed.target_ids.length === 0) return;
      const end = timeOf(until);
      const when = end === null ? 'you resume' : formatTime(end);
      notifyUndoable(`Paused ${what}. New events wait until ${when}.`, () => {
        resumeTargets(changed).then(reload, notifyFailure(`Could not resume ${what}`));
      });
    },
  });
  return (
    <ConfirmDialog
      title={`Pause ${what}`}
      opened={opened}
      close={close}
      onClosed={() => {
        pause.reset();
        setReason('');
        setUntil(null);
      }}
      cancelLabel="Cancel"
      confirmLabel="Pause"
      pending={pause.isPending}
      error={pause.error}
      confirm={() => pause.mutate()}
    >
      <p>New events wait meanwhile; none is lost.</p>
      {paused.length > 0 && (
        <p>
          Paused already, and left as they are: <strong>{paused.join(', ')}</strong>.
        </p>
      )}
      {forAlerts.length > 0 && (
        <p>
          Targets for alerts stay active, so that somebody is told about problems:{' '}
          <strong>{forAlerts.join(', ')}</strong>. To pause them too, select them in the list.
        </p>
      )}
      <TextInput
        label="Reason (optional)"
        placeholder="For example, maintenance"
        maxLength={200}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <UntilField label="For" never="Until resumed" value={until} onChange={setUntil} />
    </ConfirmDialog>
  );
}
