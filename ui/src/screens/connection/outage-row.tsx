import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Outage, OutageKind } from '../../../../src/contract/outage';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatSpan } from '../../format/relative';
import { localizeTimes } from '../../format/local-times';
import type { StateLabel } from '../../labels/state-label';
import classes from './outage-row.module.css';

const KINDS: Record<OutageKind, StateLabel> = {
  downtime: { tone: 'bad', label: 'Downtime', description: 'No notifications could be received' },
  silence: { tone: 'warn', label: 'Silence', description: 'Far fewer notifications than usual' },
};

/** One stretch of time; somebody who has seen to it says so. */
export function OutageRow({ outage }: { outage: Outage }) {
  const cache = useQueryClient();
  const row = useRef<HTMLLIElement>(null);
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(outage.id),
    onSuccess: async () => {
      // The button goes, so the focus would be lost.
      row.current?.focus();
      await cache.invalidateQueries({ queryKey: outagesQuery.queryKey });
    },
  });
  const { kind, seconds, sentence, dismissed_at: dismissedAt, ended_at: endedAt } = outage;
  const state = { ...KINDS[kind], ...(dismissedAt !== null && { tone: 'idle' as const }) };
  return (
    <li ref={row} tabIndex={-1} className={classes.row} data-dismissed={dismissedAt !== null || undefined}>
      <div className={classes.line}>
        <span className={classes.kind}>
          <StateBadge state={state} />
        </span>
        <span className={classes.sentence}>{localizeTimes(sentence)}</span>
        <span className={classes.span}>
          {formatSpan(seconds * 1_000)}
          {endedAt === null && ' so far'}
        </span>
        <span className={classes.action} aria-live="polite">
          {dismissedAt === null ? (
            <ActionButton
              pending={dismiss.isPending}
              aria-label={`Dismiss: ${localizeTimes(sentence)}`}
              title="Marks the outage as reviewed"
              action={() => dismiss.mutate()}
            >
              Dismiss
            </ActionButton>
          ) : (
            <span className={classes.seen}>
              dismissed <TimeAgo at={dismissedAt} />
            </span>
          )}
        </span>
      </div>
      {dismiss.error !== null && <ErrorNote error={dismiss.error} />}
    </li>
  );
}
