import type { ReactNode } from 'react';
import type { ListedEvent } from '@contract/event';
import { formatBytes, formatCount } from '../../format/number';
import { localizeTimes } from '../../format/exact';
import { isSystemEvent } from '../../labels/system-events';
import line from '../../components/line.module.css';
import { TimeAgo } from '../../components/time-ago';
import classes from './event-row.module.css';
import { EventStatusCell } from './event-status';

interface EventCellsProps {
  event: ListedEvent;
  type: ReactNode;
  /** Not shown for system events. */
  entity: ReactNode;
  /** Paths of payload fields. */
  columns: readonly string[];
}

/** The columns of an event. */
export function EventCells({ event, type, entity, columns }: EventCellsProps) {
  const isSystem = isSystemEvent(event.type);
  return (
    <>
      <TimeAgo at={event.received_at} className={`${line.time} ${classes.time}`} />
      {type}
      {isSystem ? (
        <span className={classes.system} title="System event, created by Switchboard">
          Switchboard
        </span>
      ) : (
        entity
      )}
      <span className={classes.name}>
        <bdi className={classes.text}>{isSystem ? localizeTimes(event.name ?? '') : event.name}</bdi>
        {event.unreadable !== null && (
          <span className={classes.note}>
            {event.erased_at === null ? (
              `unreadable: ${event.unreadable}`
            ) : (
              <>
                erased <TimeAgo at={event.erased_at} />
              </>
            )}
          </span>
        )}
        {event.repair_id !== null && (
          <span className={classes.note} title="Made by a repair, not sent by Co-Pilot">
            Synthetic
          </span>
        )}
        {event.duplicates > 0 && (
          <span className={classes.note} title="Duplicates of this notification, held back">
            +{formatCount(event.duplicates)} held
          </span>
        )}
      </span>
      {columns.map((path) => (
        <span key={path} className={`${line.mono} ${classes.field}`}>
          <bdi>{formatField(event.fields?.[path])}</bdi>
        </span>
      ))}
      <span className={`${line.time} ${classes.size}`}>{formatBytes(event.size_bytes)}</span>
      <span className={classes.status}>
        <EventStatusCell event={event} />
      </span>
    </>
  );
}

/** A field that the payload does not have is a dash, so that it differs from an empty text. */
const formatField = (value: string | number | boolean | null | undefined): string =>
  value === undefined ? '–' : String(value);
