import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import type { EventSummary } from '../../../../src/contract/event';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { EVENT_WORDS } from '../../text/delivery-words';
import { formatBytes, formatCount } from '../../text/format-number';
import { isOwnType } from '../../text/own-events';
import classes from './event-row.module.css';

interface EventRowProps {
  event: EventSummary;
  active: boolean;
  tabbable: boolean;
  choose: (id: string) => void;
}

/** One event in a line, which opens it; its entity leads to what else happened to that. */
export const EventRow = memo(function EventRow({ event, active, tabbable, choose }: EventRowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (active) link.current?.focus({ preventScroll: true });
  }, [active]);
  const { entity } = event;
  return (
    <div className={classes.row} data-active={active || undefined}>
      <TimeAgo at={event.received_at} className={classes.time} />
      <Link
        ref={link}
        to="/events/$id"
        params={{ id: event.id }}
        state={{ cameFrom: '/events' }}
        preload={false}
        className={classes.type}
        title={event.type}
        tabIndex={tabbable ? 0 : -1}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) choose(event.id);
        }}
      >
        {event.type}
      </Link>
      {isOwnType(event.type) ? (
        <span className={classes.own} title="Made by Switchboard itself, not by Co-Pilot">
          Switchboard
        </span>
      ) : entity === null ? (
        <span className={classes.own}>–</span>
      ) : (
        <Link
          to="/events"
          search={{ entity }}
          className={classes.entity}
          title={`All events of ${entity}`}
          tabIndex={tabbable ? 0 : -1}
        >
          {entity}
        </Link>
      )}
      <bdi className={classes.name}>
        {event.name}
        {event.unreadable !== null && <span className={classes.remark}>unreadable: {event.unreadable}</span>}
        {event.duplicates > 0 && (
          <span className={classes.remark} title="Identical repeats of this notification that were held">
            +{formatCount(event.duplicates)} held
          </span>
        )}
      </bdi>
      <span className={classes.size}>{formatBytes(event.size_bytes)}</span>
      <span className={classes.status}>
        <StateWord words={EVENT_WORDS[event.status]} />
      </span>
    </div>
  );
});
