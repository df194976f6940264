import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import type { EventSummary } from '../../../../src/contract/event';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { EVENT_WORDS } from '../../text/delivery-words';
import { formatBytes, formatCount } from '../../text/format-number';
import { isOwnType } from '../../text/own-events';
import classes from './tail-row.module.css';

interface TailRowProps {
  event: EventSummary;
  active: boolean;
  tabbable: boolean;
  choose: (id: string) => void;
}

/** One event in a line; the whole line opens it. */
export const TailRow = memo(function TailRow({ event, active, tabbable, choose }: TailRowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (active) link.current?.focus({ preventScroll: true });
  }, [active]);
  return (
    <Link
      ref={link}
      to="/events/$id"
      params={{ id: event.id }}
      state={{ cameFrom: '/live' }}
      preload={false}
      className={classes.row}
      data-active={active || undefined}
      tabIndex={tabbable ? 0 : -1}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) choose(event.id);
      }}
    >
      <TimeAgo at={event.received_at} className={classes.time} />
      <span className={classes.type} title={event.type}>
        {event.type}
      </span>
      {isOwnType(event.type) ? (
        <span className={classes.own} title="Made by Switchboard itself, not by Co-Pilot">
          Switchboard
        </span>
      ) : (
        <span className={classes.entity}>{event.entity ?? '–'}</span>
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
    </Link>
  );
});
