import { VisuallyHidden } from '@mantine/core';
import type { EventStatus, EventSummary } from '@contract/event';
import { StateBadge, StateMark } from '../../components/state-badge';
import { formatCount } from '../../format/number';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import classes from './event-status.module.css';

/** More would be too small to tell apart. */
const MAX_MARKS = 7;

/**
 * The status of an event; if it has several targets, how many of them it was delivered to, and a mark for each, or if
 * they are many for each of their statuses.
 */
export function EventStatusCell({ event: { status, targets } }: { event: EventSummary }) {
  const counts = Object.entries(targets) as [EventStatus, number][];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const words = counts
    .map(([name, count]) => `${formatCount(count)} ${EVENT_LABELS[name].label.toLowerCase()}`)
    .join(', ');
  return (
    <span className={classes.status}>
      <StateBadge state={EVENT_LABELS[status]} />
      {total > 1 && (
        <span className={classes.targets} title={words}>
          <VisuallyHidden component="span">{words}</VisuallyHidden>
          <span className={classes.marks}>
            {counts.flatMap(([name, count]) =>
              Array.from({ length: total <= MAX_MARKS ? count : 1 }, (_, i) => (
                <StateMark key={`${name} ${i}`} tone={EVENT_LABELS[name].tone} />
              )),
            )}
          </span>
          <span aria-hidden>
            {formatCount(targets.succeeded ?? 0)}/{formatCount(total)}
          </span>
        </span>
      )}
    </span>
  );
}
