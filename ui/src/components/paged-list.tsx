import { Button } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../../src/contract/page';
import { ErrorNote } from './error-note';
import { LoadingRows } from './loading-rows';
import classes from './paged-list.module.css';

interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  /** So many rows are given a place while the first page is on its way. */
  places: number;
  /** What stands here where there is nothing. */
  empty?: ReactNode;
  children: (items: Item[]) => ReactNode;
}

/** What was read of a list so far, the way to older items, and why there is nothing to see. */
export function PagedList<Item>({ query, places, empty, children }: PagedListProps<Item>) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const items = data && itemsOf(data);
  if (items === undefined) {
    return error === null ? (
      <LoadingRows count={places} />
    ) : (
      <div className={classes.error}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </div>
    );
  }
  return (
    <>
      {items.length === 0 && empty}
      {children(items)}
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

/** The items of all pages that were read. */
export const itemsOf = <Item,>({ pages }: InfiniteData<Page<Item>>): Item[] =>
  pages.flatMap(({ data }) => data);
