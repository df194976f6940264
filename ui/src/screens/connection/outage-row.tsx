import { useDidUpdate } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ListedOutage, OutageKind } from '@contract/outage';
import type { RepairState } from '@contract/repair';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { RepairButton } from '../../features/repairs/repair-button';
import { formatNoun } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import { localizeTimes } from '../../format/exact';
import type { StateLabel } from '../../labels/state-label';
import classes from './outage-row.module.css';

const KINDS: Record<OutageKind, StateLabel> = {
  downtime: { tone: 'bad', label: 'Downtime', description: 'No notifications could be received' },
  silence: { tone: 'warn', label: 'Silence', description: 'Far fewer notifications than usual' },
  restore: { tone: 'bad', label: 'Restore', description: 'The events since the backup are missing' },
  failover: { tone: 'bad', label: 'Failover', description: 'The newest events may be lost' },
  unregistered: {
    tone: 'bad',
    label: 'Unregistered',
    description: 'The webhook was missing or inactive at Co-Pilot',
  },
  not_stored: { tone: 'bad', label: 'Not stored', description: 'Notifications were refused' },
};

const REPAIR_OUTCOMES: Partial<Record<RepairState, string>> = {
  done: 'Repaired',
  cancelled: 'Repair cancelled',
  failed: 'Repair failed',
};

/** An outage, how it was repaired, and a button to mark it as reviewed. */
export function OutageRow({ outage }: { outage: ListedOutage }) {
  const cache = useQueryClient();
  const row = useRef<HTMLLIElement>(null);
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(outage.id),
    onSuccess: () => cache.invalidateQueries({ queryKey: outagesQuery.queryKey }),
  });
  const { kind, seconds, sentence, dismissed_at: dismissedAt, ended_at: endedAt } = outage;
  // The button that had the focus is gone, here or in the dialog of a repair.
  useDidUpdate(() => {
    if (document.activeElement === document.body) row.current?.focus({ preventScroll: true });
  }, [dismissedAt]);
  const state = { ...KINDS[kind], ...(dismissedAt !== null && { tone: 'idle' as const }) };
  return (
    <li ref={row} tabIndex={-1} className={classes.row} data-dismissed={dismissedAt !== null || undefined}>
      <div className={classes.line}>
        <span className={classes.kind}>
          <StateBadge state={state} />
        </span>
        <div className={classes.sentence}>
          <p>{localizeTimes(sentence)}</p>
          {outage.repairs.map((repair) => (
            <p key={repair.id} className={classes.muted}>
              {REPAIR_OUTCOMES[repair.state] ?? 'Being repaired'}{' '}
              <TimeAgo at={repair.ended_at ?? repair.created_at} />: {formatNoun(repair.events, 'event')}
            </p>
          ))}
        </div>
        <span className={classes.duration}>
          {formatOneUnit(seconds * 1_000)}
          {endedAt === null && ' so far'}
        </span>
        <span className={classes.action} aria-live="polite">
          {dismissedAt === null ? (
            <>
              <RepairButton
                input={{ purpose: 'repair', outage_ids: [outage.id] }}
                subject={localizeTimes(sentence)}
              />{' '}
              <ActionButton
                pending={dismiss.isPending}
                aria-label={`Dismiss: ${localizeTimes(sentence)}`}
                title="Marks the outage as reviewed"
                action={() => dismiss.mutate()}
              >
                Dismiss
              </ActionButton>
            </>
          ) : (
            <span className={classes.muted}>
              dismissed <TimeAgo at={dismissedAt} />
            </span>
          )}
        </span>
      </div>
      {dismiss.error !== null && <ErrorNote error={dismiss.error} />}
    </li>
  );
}
