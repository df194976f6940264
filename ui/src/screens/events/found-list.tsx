import { useEffect, useRef } from 'react';
import { EventList } from '../../features/event-list/event-list';
import { useVisibleRows } from '../../features/event-list/use-visible-rows';
import { PendingData } from '../../components/pending-data';
import { NothingFound } from './nothing-found';
import type { FoundEvents } from './use-found-events';

const NEAR_END = 30;

interface FoundListProps {
  found: FoundEvents;
  filtered: boolean;
  activeId: string | null;
  select: (id: string) => void;
}

/** What was found; older ones are read as one gets there. */
export function FoundList({ found, filtered, activeId, select }: FoundListProps) {
  const { pages, rows, place } = found;
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, isPlaceholderData } = pages;
  const list = useRef<HTMLDivElement>(null);
  const visible = useVisibleRows({ rows, activeId, list, offset: place.offset });
  const { last } = visible;
  const needsMore = hasNextPage && !isFetching && !isFetchNextPageError && last > rows.length - NEAR_END;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);

  if (pages.data === undefined) return <PendingData query={pages} rows={10} flush />;
  if (rows.length === 0 && !hasNextPage && !isPlaceholderData) return <NothingFound filtered={filtered} />;
  return (
    <EventList
      // The rows of the search before, until those of this one are there.
      aria-busy={isPlaceholderData || undefined}
      name="Matching events"
      screen="/events"
      linksEntity
      visible={visible}
      hasOlder={hasNextPage}
      end={endLabel(hasNextPage, filtered)}
      retryOlder={isFetchNextPageError ? () => void fetchNextPage() : undefined}
      select={select}
      onScroll={({ currentTarget: { scrollTop } }) => {
        found.remember({ offset: scrollTop });
      }}
    />
  );
}

function endLabel(hasOlder: boolean, filtered: boolean): string {
  if (hasOlder) return 'Searching older events…';
  return filtered ? 'No older matches.' : 'No older events.';
}
