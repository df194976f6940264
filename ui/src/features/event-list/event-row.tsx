import { Link, linkOptions } from '@tanstack/react-router';
import { memo, useEffect, useRef, type FocusEvent, type MouseEvent } from 'react';
import type { ListedEvent } from '@contract/event';
import line from '../../components/line.module.css';
import { SelectBox } from '../../components/select-box';
import { EventCells } from './event-cells';
import classes from './event-row.module.css';

export interface EventRowProps {
  event: ListedEvent;
  /** The current screen, for the back link of the event. */
  screen: '/live' | '/events';
  /** Whether the entity links to all its events. */
  linksEntity?: boolean;
  /** Whether the row is selected. */
  active: boolean;
  /** Whether Tab stops at the row; it does at one row of the list. */
  tabbable: boolean;
  select: (id: string) => void;
  /** Paths of payload fields. */
  columns: readonly string[];
  /** Whether the row is chosen. */
  marked?: boolean | undefined;
  /** Chooses the row; without it, the row has no checkbox. */
  toggleMark?: ((event: ListedEvent) => void) | undefined;
  /** Opens the event beside the list when the row is clicked; without it, the click follows the link. */
  preview?: ((id: string) => void) | undefined;
}

/** An event as a row that links to its screen. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { event, screen, linksEntity = false, active, tabbable, select, columns, preview } = props;
  const { marked = false, toggleMark } = props;
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
    onClick: (click: MouseEvent) => {
      // Enter is a click without a position; with a modifier, the link opens elsewhere.
      if (preview === undefined || click.detail === 0 || click.ctrlKey || click.metaKey || click.shiftKey)
        return;
      click.preventDefault();
      preview(id);
    },
    onFocus: ({ currentTarget }: FocusEvent) => {
      if (currentTarget.matches(':focus-visible')) select(id);
    },
  };
  const rowProps = {
    className: `${line.line} ${classes.row}`,
    'data-active': active || undefined,
    'data-marked': marked || undefined,
  };
  const typeProps = { className: `${line.mono} ${classes.type}`, title: type, children: type };
  if (!linksEntity)
    return (
      <Link {...linkProps} {...rowProps}>
        <EventCells
          event={event}
          columns={columns}
          type={<span {...typeProps} />}
          entity={
            <span className={`${line.mono} ${classes.entity}`}>
              <span dir="ltr">{entity ?? '–'}</span>
            </span>
          }
        />
      </Link>
    );
  return (
    <div {...rowProps}>
      {toggleMark !== undefined && (
        <span className={classes.box}>
          <SelectBox
            label={`Select ${type} ${entity ?? ''}`.trim()}
            checked={marked}
            tabIndex={tabIndex}
            onChange={() => toggleMark(event)}
          />
        </span>
      )}
      <EventCells
        event={event}
        columns={columns}
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
              <span dir="ltr">{entity}</span>
            </Link>
          )
        }
      />
    </div>
  );
});
