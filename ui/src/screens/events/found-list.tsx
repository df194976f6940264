import { useEffect, useRef } from 'react';
import type { EventSummary } from '@contract/event';
import { EventList } from '../../features/event-list/event-list';
import { NoEventsYet } from '../../features/event-list/no-events-yet';
import { useVisibleRows } from '../../features/event-list/use-visible-rows';
import { PendingData } from '../../components/pending-data';
import type { FoundEvents } from './use-found-events';
import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyNote } from '../../components/empty-note';

const LOAD_AHEAD_ROWS = 30;

interface FoundListProps {
  found: FoundEvents;
  filtered: boolean;
  activeId: string | null;
  select: (id: string) => void;
  /** The name of the target that the list is about, if any. */
  statusAt: string | undefined;
  newAbove: number | undefined;
  columns: readonly string[];
  marked: readonly string[];
  toggleMark: (event: EventSummary) => void;
  preview: ((id: string) => void) | undefined;
  /** Whether an event is shown beside the list. */
  narrow: boolean;
}

/** The matching events; older pages are loaded while scrolling. */
export function FoundList(props: FoundListProps) {
  const {
    found,
    filtered,
    activeId,
    select,
    newAbove,
    statusAt,
    columns,
    marked,
    toggleMark,
    preview,
    narrow,
  } = props;
  const { pages, rows, position } = found;
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, isPlaceholderData } = pages;
  const list = useRef<HTMLDivElement>(null);
  const visible = useVisibleRows({ rows, activeId, list, offset: position.offset });
  const { last } = visible;
  const needsMore =
    hasNextPage && !isFetching && !isFetchNextPageError && last > rows.length - LOAD_AHEAD_ROWS;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);

  if (pages.data === undefined) return <PendingData query={pages} rows={10} flush />;
  if (rows.length === 0 && !hasNextPage && !isPlaceholderData) return <NothingFound filtered={filtered} />;
  return (
    <EventList
      // The rows of the previous search, until those of this one are loaded.
      aria-busy={isPlaceholderData || undefined}
      name="Matching events"
      screen="/events"
      linksEntity
      newAbove={newAbove}
      statusAt={statusAt}
      columns={columns}
      marked={marked}
      toggleMark={toggleMark}
      preview={preview}
      data-narrow={narrow || undefined}
      visible={visible}
      hasOlder={hasNextPage}
      end={endLabel(hasNextPage, filtered)}
      retryOlder={isFetchNextPageError ? () => void fetchNextPage() : undefined}
      select={select}
      onScroll={({ currentTarget: { scrollTop } }) => {
        found.savePosition({ offset: scrollTop });
      }}
    />
  );
}

function endLabel(hasOlder: boolean, filtered: boolean): string {
  if (hasOlder) return 'Searching older events…';
  return filtered ? 'No older matches.' : 'No older events.';
}

/** Explains an empty list and how to fill it. */
function NothingFound({ filtered }: { filtered: boolean }) {
  if (!filtered) return <NoEventsYet />;
  return (
    <EmptyNote title="No events match" icon={<IconSearchOff size={22} stroke={1.6} />}>
      <p>
        Search looks for text anywhere in the payload, ignoring case. A type can be a pattern such as{' '}
        <code>deal.*</code>, an entity has its id: <code>deal:42</code>. Events past the retention period are
        gone.
      </p>
      <Button renderRoot={(props) => <Link to="/events" search={{}} {...props} />}>Clear all filters</Button>
    </EmptyNote>
  );
}
