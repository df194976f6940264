import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { useVisibleRows } from '../live/use-visible-rows';
import classes from './event-list.module.css';
import { EventRow } from './event-row';
import { NothingFound } from './nothing-found';
import type { FoundEvents } from './use-found-events';

const ROW = { wide: 36, narrow: 58 };
/** The heads of the columns stay at the top; a phone has no columns. */
const HEAD = { wide: 28, narrow: 0 };
const NEAR_END = 30;

interface EventListProps {
  found: FoundEvents;
  filtered: boolean;
  activeId: string | null;
  choose: (id: string | null) => void;
}

/** What was found, newest first: the rows in sight of however many there are; older ones are read as one gets there. */
export function EventList({ found, filtered, activeId, choose }: EventListProps) {
  const { pages, rows, place } = found;
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, isPlaceholderData } = pages;
  const list = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  const size = narrow ? ROW.narrow : ROW.wide;
  const head = narrow ? HEAD.narrow : HEAD.wide;
  const active = rows.findIndex(({ id }) => id === activeId);
  const { inSight, height, reveal } = useVisibleRows({
    rows,
    active,
    size,
    head,
    list,
    offset: place.offset,
  });
  useEffect(() => {
    if (active !== -1) reveal(active);
  }, [reveal, active]);

  const last = inSight.at(-1)?.index ?? 0;
  const wantsMore = hasNextPage && !isFetching && !isFetchNextPageError && last > rows.length - NEAR_END;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);

  if (pages.data === undefined)
    return pages.error === null ? (
      <LoadingRows count={10} />
    ) : (
      <div className={classes.note}>
        <ErrorNote error={pages.error} retry={() => void pages.refetch()} />
      </div>
    );
  if (rows.length === 0 && !hasNextPage && !isPlaceholderData) return <NothingFound filtered={filtered} />;
  return (
    <div
      ref={list}
      className={classes.scroll}
      aria-busy={isPlaceholderData || undefined}
      onScroll={({ currentTarget: { scrollTop } }) => {
        found.remember({ offset: scrollTop });
      }}
    >
      <div className={classes.columns} aria-hidden>
        <span>Received</span>
        <span>Type</span>
        <span>Entity</span>
        <span>Name</span>
        <span>Size</span>
        <span>Status</span>
      </div>
      <ol className={classes.rows} style={{ height }} aria-label="Events found">
        {inSight.map(({ index, start, key }) => {
          const event = rows[index];
          if (event === undefined) return null;
          return (
            <li
              key={key}
              className={classes.place}
              style={{ height: size, transform: `translateY(${start - head}px)` }}
            >
              <EventRow
                event={event}
                active={index === active}
                tabbable={active === -1 ? index === 0 : index === active}
                choose={choose}
              />
            </li>
          );
        })}
      </ol>
      <p className={classes.end}>
        {isFetchNextPageError ? (
          <>
            Older events could not be read. <Button onClick={() => void fetchNextPage()}>Try again</Button>
          </>
        ) : hasNextPage ? (
          'Looking through older events…'
        ) : filtered ? (
          'No older event matches.'
        ) : (
          'The first event that is kept.'
        )}
      </p>
    </div>
  );
}
