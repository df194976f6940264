import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Duplicate, DuplicateState } from '@contract/duplicate';
import { dismissDuplicate, releaseDuplicate } from '../../api/duplicates';
import { eventQuery } from '../../api/events';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { focusAfter } from '../../components/focus-after';
import { ErrorNote } from '../../components/error-note';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { useTargetNames } from '../../features/targets/use-target-names';
import type { StateLabel } from '../../labels/state-label';
import classes from './duplicates-panel.module.css';

const LABELS: Record<DuplicateState, StateLabel> = {
  held: { tone: 'warn', label: 'Held', description: 'Not delivered unless released' },
  released: { tone: 'ok', label: 'Released', description: 'Delivered' },
  dismissed: { tone: 'idle', label: 'Dismissed', description: 'Not delivered' },
};

/** A duplicate, with buttons to release or dismiss it. */
export function DuplicateRow({ duplicate }: { duplicate: Duplicate }) {
  const cache = useQueryClient();
  const nameOf = useTargetNames();
  const row = useRef<HTMLLIElement>(null);
  const [confirming, setConfirming] = useState(false);
  const { id, n, state, received_at: at, delivered_to: sentTo } = duplicate;
  const refresh = () => {
    setConfirming(false);
    const loaded = cache.invalidateQueries({ queryKey: eventQuery(duplicate.event_id).queryKey });
    return focusAfter(loaded, () => row.current?.focus());
  };
  const release = useMutation({ mutationFn: () => releaseDuplicate(id), onSuccess: refresh });
  const dismiss = useMutation({ mutationFn: () => dismissDuplicate(id), onSuccess: refresh });
  return (
    <li ref={row} tabIndex={-1} className={classes.row}>
      <span>Duplicate {n}</span>
      <span aria-live="polite">
        <StateBadge state={LABELS[state]} />
      </span>
      <TimeAgo at={at} className={classes.when} />
      {state === 'held' && (
        <span className={classes.actions}>
          <GuardedButton
            variant="subtle"
            aria-label={`Dismiss duplicate ${n}`}
            onClick={() => {
              dismiss.reset();
              setConfirming(true);
            }}
          >
            Dismiss
          </GuardedButton>
          <ActionButton
            pending={release.isPending}
            aria-label={`Release duplicate ${n}: deliver it`}
            title="Delivers it to all matching targets"
            action={() => release.mutate()}
          >
            Release
          </ActionButton>
        </span>
      )}
      {sentTo.length > 0 && (
        <span className={classes.whole}>Already delivered to {sentTo.map(nameOf).join(', ')}.</span>
      )}
      {release.error !== null && (
        <div className={classes.whole}>
          <ErrorNote error={release.error} />
        </div>
      )}
      <ConfirmDialog
        title={`Dismiss duplicate ${n}?`}
        opened={confirming}
        close={() => setConfirming(false)}
        cancelLabel="Cancel"
        confirmLabel="Dismiss"
        pending={dismiss.isPending}
        error={dismiss.error}
        confirm={() => dismiss.mutate()}
      >
        <p>
          It will not be delivered and can no longer be released. The original event is not affected; to send
          it again, replay it.
        </p>
      </ConfirmDialog>
    </li>
  );
}
