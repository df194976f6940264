import { Button } from '@mantine/core';
import type { HTMLAttributes, ReactNode } from 'react';
import classes from './event-list.module.css';
import { EventRow, type EventRowProps } from './event-row';
import type { VisibleRows } from './use-visible-rows';

interface EventListProps
  extends HTMLAttributes<HTMLDivElement>, Pick<EventRowProps, 'screen' | 'linksEntity' | 'select'> {
  name: string;
  visible: VisibleRows;
  /** Whether there are older events. */
  hasOlder: boolean;
  /** Shown below the oldest event. */
  end: ReactNode;
  /** Set when older events could not be loaded. */
  retryOlder: (() => void) | undefined;
}

/** A virtualized list of events, newest first. */
export function EventList(props: EventListProps) {
  const { name, visible, hasOlder, end, retryOlder, screen, linksEntity, select, ...scroller } = props;
  const { list, rows, items, active, height, rowHeight, headHeight } = visible;
  const below =
    retryOlder === undefined ? (
      end
    ) : (
      <>
        Older events could not be loaded. <Button onClick={retryOlder}>Try again</Button>
      </>
    );
  return (
    <div ref={list} className={classes.scroll} {...scroller}>
      <div className={classes.columns} aria-hidden>
        <span>Received</span>
        <span>Type</span>
        <span>Entity</span>
        <span>Name</span>
        <span>Size</span>
        <span>Status</span>
      </div>
      <ol className={classes.rows} style={{ height }} aria-label={name}>
        {items.map(({ index, start, key }) => {
          const event = rows[index];
          if (event === undefined) return null;
          return (
            <li
              key={key}
              className={classes.place}
              aria-posinset={index + 1}
              aria-setsize={hasOlder ? -1 : rows.length}
              style={{ height: rowHeight, transform: `translateY(${start - headHeight}px)` }}
            >
              <EventRow
                event={event}
                screen={screen}
                linksEntity={linksEntity}
                active={index === active}
                tabbable={active === -1 ? index === 0 : index === active}
                select={select}
              />
            </li>
          );
        })}
      </ol>
      {below !== null && <p className={classes.end}>{below}</p>}
    </div>
  );
}
