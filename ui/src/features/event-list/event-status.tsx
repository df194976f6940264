import { VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { EventStatus, EventSummary } from '@contract/event';
import { StateBadge, StateMark } from '../../components/state-badge';
import { formatCount } from '../../format/number';
import { EVENT_LABELS, eventLabel } from '../../labels/delivery-labels';
import classes from './event-status.module.css';

/**
 * The status of an event; if it has several targets, how many of them have each status, or where there is little room how
 * many it was delivered to.
 */
export function EventStatusCell({ event }: { event: EventSummary }) {
  const { targets } = event;
  const counts = Object.entries(targets) as [EventStatus, number][];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const words = counts
    .map(([name, count]) => `${formatCount(count)} ${EVENT_LABELS[name].label.toLowerCase()}`)
    .join(', ');
  return (
    <span className={classes.status}>
      <StateBadge state={eventLabel(event)} />
      {total > 1 && (
        <span className={classes.targets} title={words} data-several>
          <VisuallyHidden component="span">{words}</VisuallyHidden>
          <span className={classes.marks} aria-hidden>
            {counts.map(([name, count]) => (
              <Fragment key={name}>
                <StateMark tone={EVENT_LABELS[name].tone} />
                <span className={classes.count}>{formatCount(count)}</span>
              </Fragment>
            ))}
          </span>
          <span className={classes.delivered} aria-hidden>
            {formatCount(targets.succeeded ?? 0)}/{formatCount(total)}
          </span>
        </span>
      )}
    </span>
  );
}
