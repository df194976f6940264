import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { EventSummary } from '@contract/event';
import { eventBodyQuery } from '../../api/events';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { formatBytes } from '../../format/number';
import { compareNotifications } from '../../payload/compare-notifications';
import { readPayload } from '../../payload/payload';
import { Changes } from './changes';
import classes from './history-row.module.css';

/** Larger payloads are only compared on request. */
const AUTO_COMPARE_BYTES = 100_000;

interface DifferenceProps {
  event: EventSummary;
  previous: EventSummary;
}

/** What changed between two events of an entity. */
export function Difference({ event, previous }: DifferenceProps) {
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
