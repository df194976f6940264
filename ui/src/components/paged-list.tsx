import { Button } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '@contract/page';
import classes from './paged-list.module.css';
import { PendingData } from './pending-data';

interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  /** Placeholder rows while the first page is loading. */
  skeletonRows: number;
  /** Shown when the list is empty. */
  empty?: ReactNode;
  children: (items: Item[]) => ReactNode;
}

/** A paged list with its loading, empty and error states and a button for older items. */
export function PagedList<Item>({ query, skeletonRows, empty, children }: PagedListProps<Item>) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  if (data === undefined) return <PendingData query={query} rows={skeletonRows} flush />;
  const items = itemsOf(data);
  return (
    <>
      {items.length === 0 && empty !== undefined ? empty : children(items)}
      {hasNextPage && (
        <div className={classes.more}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </>
  );
}

/** The items of all loaded pages. */
export const itemsOf = <Item,>({ pages }: InfiniteData<Page<Item>>): Item[] =>
  pages.flatMap(({ data }) => data);
