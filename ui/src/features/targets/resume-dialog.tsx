import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import type { Target } from '@contract/target';
import { resumeTargets } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { formatCount, formatNoun } from '../../format/number';
import { reasonOf } from '../../labels/target-labels';

/** How many can be resumed in one request. */
const MAX_RESUMED = 200;

interface ResumeDialogProps {
  /** Paused ones. */
  targets: readonly Target[];
  opened: boolean;
  close: () => void;
}

/** Says why targets were paused and what is sent to them, before they are resumed. What it lists stays as it is. */
export function ResumeDialog({ targets, opened, close }: ResumeDialogProps) {
  const cache = useQueryClient();
  const [listed, setListed] = useState(targets);
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) setListed(targets.slice(0, MAX_RESUMED));
  }
  const resume = useMutation({
    mutationFn: () => resumeTargets({ target_ids: listed.map(({ id }) => id) }),
    onSuccess: () => {
      close();
      return cache.invalidateQueries({ queryKey: ['targets'] });
    },
  });
  return (
    <ConfirmDialog
      title={`Resume ${listed.length === 1 ? listed[0]!.name : formatNoun(listed.length, 'target')}?`}
      opened={opened}
      close={close}
      onClosed={() => resume.reset()}
      cancelLabel="Cancel"
      confirmLabel="Resume"
      pending={resume.isPending}
      error={resume.error}
      confirm={() => resume.mutate()}
    >
      <p>What is queued is sent at once.</p>
      <ul>
        {listed.map(({ id, name, paused, backlog }) => (
          <li key={id}>
            <strong>{name}</strong>: {formatCount(backlog.open)} queued
            {paused !== null && paused.reason !== DEFAULT_PAUSE_REASON && `, paused: “${reasonOf(paused)}”`}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
