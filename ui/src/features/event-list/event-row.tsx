import { Link, linkOptions } from '@tanstack/react-router';
import { memo, useEffect, useRef, type FocusEvent } from 'react';
import type { EventSummary } from '../../../../src/contract/event';
import line from '../../components/line.module.css';
import { EventCells } from './event-cells';
import classes from './event-row.module.css';

export interface EventRowProps {
  event: EventSummary;
  /** The screen that it stands on, for the way back from the event. */
  screen: '/live' | '/events';
  /** Whether the entity leads to all events of it. */
  linksEntity?: boolean;
  active: boolean;
  tabbable: boolean;
  select: (id: string) => void;
}

/** One event in a line, which opens it. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { event, screen, linksEntity = false, active, tabbable, select } = props;
  const { id, type, entity } = event;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (active) link.current?.focus({ preventScroll: true });
  }, [active]);
  const tabIndex = tabbable ? 0 : -1;
  const opens = {
    ...linkOptions({ to: '/events/$id', params: { id }, state: { cameFrom: screen }, preload: false }),
    ref: link,
    tabIndex,
    onFocus: ({ currentTarget }: FocusEvent) => {
      if (currentTarget.matches(':focus-visible')) select(id);
    },
  };
  const row = { className: `${line.line} ${classes.row}`, 'data-active': active || undefined };
  const typed = { className: `${line.mono} ${classes.type}`, title: type, children: type };
  if (!linksEntity)
    return (
      <Link {...opens} {...row}>
        <EventCells
          event={event}
          type={<span {...typed} />}
          entity={<span className={`${line.mono} ${classes.entity}`}>{entity ?? '–'}</span>}
        />
      </Link>
    );
  return (
    <div {...row}>
      <EventCells
        event={event}
        type={<Link {...opens} {...typed} />}
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
