import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { EventSummary } from '@contract/event';
import { eventBodyQuery } from '../../api/events';
import { compareNotifications } from '../../payload/compare-notifications';
import { readPayload } from '../../payload/payload';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { formatBytes } from '../../format/number';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { Changes } from './changes';
import classes from './history-row.module.css';

interface HistoryRowProps {
  event: EventSummary;
  /** The previous event of the same entity; null if there is none. */
  previous: EventSummary | null;
  /** Whether the screen is about this event. */
  isCurrent?: boolean;
}

/** Larger payloads are only compared on request. */
const AUTO_COMPARE_BYTES = 100_000;

/** An event of an entity and what it changed. */
export function HistoryRow({ event, previous, isCurrent = false }: HistoryRowProps) {
  return (
    <li className={classes.row} aria-current={isCurrent || undefined}>
      <div className={classes.head}>
        {isCurrent ? (
          <span className={classes.type}>{event.type}</span>
        ) : (
          <Link to="/events/$id" params={{ id: event.id }} className={classes.type}>
            {event.type}
          </Link>
        )}
        {isCurrent && <span className={classes.quiet}>this event</span>}
        <StateBadge state={EVENT_LABELS[event.status]} />
        <TimeAgo at={event.received_at} className={classes.when} />
      </div>
      {previous !== null && arrivedLate(event, previous) && (
        <p className={classes.quiet}>This event occurred before the one below but arrived after it.</p>
      )}
      {previous === null ? (
        <p className={classes.quiet}>First stored event.</p>
      ) : (
        <Difference event={event} previous={previous} />
      )}
    </li>
  );
}

const arrivedLate = (event: EventSummary, previous: EventSummary): boolean =>
  event.occurred_at !== null && previous.occurred_at !== null && event.occurred_at < previous.occurred_at;

function Difference({ event, previous }: { event: EventSummary; previous: EventSummary }) {
  const size = event.size_bytes + previous.size_bytes;
  const [isRequested, setRequested] = useState(size <= AUTO_COMPARE_BYTES);
  const before = useQuery({ ...eventBodyQuery(previous.id), enabled: isRequested });
  const after = useQuery({ ...eventBodyQuery(event.id), enabled: isRequested });
  const difference = useMemo(() => {
    if (before.data === undefined || after.data === undefined) return undefined;
    return compareNotifications(readPayload(before.data), readPayload(after.data));
  }, [before.data, after.data]);

  if (!isRequested) {
    return (
      <Button variant="subtle" size="compact-sm" onClick={() => setRequested(true)}>
        Compare {formatBytes(size)}
      </Button>
    );
  }
  const error = before.error ?? after.error;
  if (error !== null) {
    const again = () => {
      void before.refetch();
      void after.refetch();
    };
    return <ErrorNote error={error} retry={again} />;
  }
  if (difference === undefined) return <LoadingRows count={1} />;
  if (difference === null)
    return <p className={classes.quiet}>Cannot be compared: the payload is not JSON.</p>;
  return <Changes {...difference} />;
}
