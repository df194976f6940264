import { Button } from '@mantine/core';
import type { CSSProperties, HTMLAttributes, ReactNode } from 'react';
import classes from './event-list.module.css';
import { EventRow, type EventRowProps } from './event-row';
import type { VisibleRows } from './use-visible-rows';

interface EventListProps
  extends
    HTMLAttributes<HTMLDivElement>,
    Pick<EventRowProps, 'screen' | 'linksEntity' | 'select' | 'preview' | 'toggleMark'> {
  name: string;
  visible: VisibleRows;
  /** Events after this `seq` are new to the user: their rows appear with a tint. */
  newAbove?: number | undefined;
  /** The name of the target whose status is shown, instead of that of the event. */
  statusAt?: string | undefined;
  /** Paths of payload fields to show. */
  columns?: readonly string[];
  /** The ids of the rows that are chosen. */
  marked?: readonly string[];
  /** Whether there are older events. */
  hasOlder: boolean;
  /** Shown below the oldest event. */
  end: ReactNode;
  /** Set when older events could not be loaded. */
  retryOlder: (() => void) | undefined;
}

/** A virtualized list of events, newest first. */
export function EventList(props: EventListProps) {
  const {
    name,
    visible,
    newAbove = Infinity,
    statusAt,
    columns = [],
    marked = [],
    hasOlder,
    end,
    retryOlder,
    ...others
  } = props;
  const { screen, linksEntity, select, preview, toggleMark, ...scroller } = others;
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
    <div
      ref={list}
      className={classes.scroll}
      style={fieldColumns(columns)}
      data-boxes={toggleMark !== undefined || undefined}
      {...scroller}
    >
      <div className={classes.columns} aria-hidden>
        <span>Received</span>
        <span>Type</span>
        <span>Entity</span>
        <span>Name</span>
        {columns.map((path) => (
          <span key={path} className={classes.field} title={path}>
            {path.replace(/^data\./, '')}
          </span>
        ))}
        <span className={classes.size}>Size</span>
        <span className={classes.status}>
          <span className={classes.field}>{statusAt === undefined ? 'Status' : `At ${statusAt}`}</span>
          {statusAt === undefined && <span className={classes.counts}>Deliveries</span>}
        </span>
      </div>
      <ol className={classes.rows} style={{ height }} aria-label={name}>
        {items.map(({ index, start, key }) => {
          const event = rows[index];
          if (event === undefined) return null;
          return (
            <li
              key={key}
              className={classes.place}
              data-new={event.seq > newAbove || undefined}
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
                preview={preview}
                columns={columns}
                marked={marked.includes(event.id)}
                toggleMark={toggleMark}
              />
            </li>
          );
        })}
      </ol>
      {below !== null && <p className={classes.end}>{below}</p>}
    </div>
  );
}

/** Their widths are part of the grid of every row. */
const fieldColumns = (columns: readonly string[]): CSSProperties | undefined =>
  columns.length === 0
    ? undefined
    : ({ '--fields': `repeat(${columns.length}, minmax(48px, 128px))` } as CSSProperties);
