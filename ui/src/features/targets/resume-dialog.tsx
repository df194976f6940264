import { useState } from 'react';
import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import type { Target } from '@contract/target';
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
  pending: boolean;
  error: unknown;
  resume: (ids: string[]) => void;
}

/** Says why targets were paused and what is sent to them, before they are resumed. What it lists stays as it is. */
export function ResumeDialog({ targets, opened, close, pending, error, resume }: ResumeDialogProps) {
  const [listed, setListed] = useState(targets);
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) setListed(targets.slice(0, MAX_RESUMED));
  }
  return (
    <ConfirmDialog
      title={`Resume ${formatNoun(listed.length, 'target')}?`}
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Resume"
      pending={pending}
      error={error}
      confirm={() => resume(listed.map(({ id }) => id))}
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
