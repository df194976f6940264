import { VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { EventStatus, EventSummary } from '@contract/event';
import { StateBadge, StateMark } from '../../components/state-badge';
import { formatCount } from '../../format/number';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import classes from './event-status.module.css';

/** More would be too small to tell apart: each status then has one mark and its number. */
const MAX_MARKS = 7;

/**
 * The status of an event; if it has several targets, how many of them it was delivered to and a mark for each, or if they are
 * many how many have each status.
 */
export function EventStatusCell({ event: { status, targets } }: { event: EventSummary }) {
  const counts = Object.entries(targets) as [EventStatus, number][];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const isCounted = total > MAX_MARKS;
  const words = counts
    .map(([name, count]) => `${formatCount(count)} ${EVENT_LABELS[name].label.toLowerCase()}`)
    .join(', ');
  return (
    <span className={classes.status}>
      <StateBadge state={EVENT_LABELS[status]} />
      {total > 1 && (
        <span className={classes.targets} title={words}>
          <VisuallyHidden component="span">{words}</VisuallyHidden>
          <span className={classes.marks} data-counted={isCounted || undefined} aria-hidden>
            {counts.flatMap(([name, count]) =>
              Array.from({ length: isCounted ? 1 : count }, (_, i) => (
                <Fragment key={`${name} ${i}`}>
                  <StateMark tone={EVENT_LABELS[name].tone} />
                  {isCounted && <span className={classes.count}>{formatCount(count)}</span>}
                </Fragment>
              )),
            )}
          </span>
          <span className={classes.delivered} aria-hidden>
            {formatCount(targets.succeeded ?? 0)}/{formatCount(total)}
          </span>
        </span>
      )}
    </span>
  );
}
