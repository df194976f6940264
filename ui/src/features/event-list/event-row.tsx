import { Link, linkOptions } from '@tanstack/react-router';
import { memo, useEffect, useRef, type FocusEvent } from 'react';
import type { EventSummary } from '@contract/event';
import line from '../../components/line.module.css';
import { EventCells } from './event-cells';
import classes from './event-row.module.css';

export interface EventRowProps {
  event: EventSummary;
  /** The current screen, for the back link of the event. */
  screen: '/live' | '/events';
  /** Whether the entity links to all its events. */
  linksEntity?: boolean;
  /** Whether the row is selected. */
  active: boolean;
  /** Whether Tab stops at the row; it does at one row of the list. */
  tabbable: boolean;
  select: (id: string) => void;
}

/** An event as a row that links to its screen. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { event, screen, linksEntity = false, active, tabbable, select } = props;
  const { id, type, entity } = event;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (active) link.current?.focus({ preventScroll: true });
  }, [active]);
  const tabIndex = tabbable ? 0 : -1;
  const linkProps = {
    ...linkOptions({ to: '/events/$id', params: { id }, state: { cameFrom: screen }, preload: false }),
    ref: link,
    tabIndex,
    onFocus: ({ currentTarget }: FocusEvent) => {
      if (currentTarget.matches(':focus-visible')) select(id);
    },
  };
  const rowProps = { className: `${line.line} ${classes.row}`, 'data-active': active || undefined };
  const typeProps = { className: `${line.mono} ${classes.type}`, title: type, children: type };
  if (!linksEntity)
    return (
      <Link {...linkProps} {...rowProps}>
        <EventCells
          event={event}
          type={<span {...typeProps} />}
          entity={<span className={`${line.mono} ${classes.entity}`}>{entity ?? '–'}</span>}
        />
      </Link>
    );
  return (
    <div {...rowProps}>
      <EventCells
        event={event}
        type={<Link {...linkProps} {...typeProps} />}
        entity={
          entity === null ? (
            <span className={`${line.mono} ${classes.entity}`}>–</span>
          ) : (
            <Link
              to="/events"
              search={{ entity }}
              className={`${line.mono} ${classes.entity}`}
              title={`All events of ${entity}`}
              tabIndex={tabIndex}
            >
              {entity}
            </Link>
          )
        }
      />
    </div>
  );
});
