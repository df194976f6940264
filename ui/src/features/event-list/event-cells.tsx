import type { ReactNode } from 'react';
import type { EventSummary } from '../../../../src/contract/event';
import { EVENT_WORDS } from '../../labels/delivery-labels';
import { formatBytes, formatCount } from '../../format/number';
import { withLocalTimes } from '../../format/local-times';
import { isOwnType } from '../../labels/system-events';
import line from '../../components/line.module.css';
import { StateWord } from '../../components/state-label';
import { TimeAgo } from '../../components/time-ago';
import classes from './event-row.module.css';

interface EventCellsProps {
  event: EventSummary;
  type: ReactNode;
  /** Of an event of Co-Pilot; ours have none. */
  entity: ReactNode;
}

/** What a line tells of an event, in its columns. */
export function EventCells({ event, type, entity }: EventCellsProps) {
  const isOwn = isOwnType(event.type);
  return (
    <>
      <TimeAgo at={event.received_at} className={`${line.time} ${classes.time}`} />
      {type}
      {isOwn ? (
        <span className={classes.own} title="System event, created by Switchboard">
          Switchboard
        </span>
      ) : (
        entity
      )}
      <span className={classes.name}>
        <bdi className={classes.words}>{isOwn ? withLocalTimes(event.name ?? '') : event.name}</bdi>
        {event.unreadable !== null && <span className={classes.remark}>unreadable: {event.unreadable}</span>}
        {event.duplicates > 0 && (
          <span className={classes.remark} title="Duplicates of this notification, held back">
            +{formatCount(event.duplicates)} held
          </span>
        )}
      </span>
      <span className={`${line.time} ${classes.size}`}>{formatBytes(event.size_bytes)}</span>
      <span className={classes.status}>
        <StateWord words={EVENT_WORDS[event.status]} />
      </span>
    </>
  );
}
