import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type QueryClient,
} from '@tanstack/react-query';
import type { Erasure, ErasureCreate, ErasurePreview } from '@contract/erasure';
import type { Filter } from '@contract/filter';
import type { Page } from '@contract/page';
import { change, read } from './request';

/** An event, or all events of an entity and those of others that mention it. */
export type ErasureSubject = { event_id: string } | { entity: string; mentions?: Filter };

const PAGE_SIZE = 20;
const POLL_MS = 1_000;
/** It may take an hour to clean up. */
const SLOW_POLL_MS = 10_000;

/** What was erased, newest first. */
export const erasuresQuery = infiniteQueryOptions({
  queryKey: ['erasures'],
  queryFn: ({ pageParam }) => read<Page<Erasure>>('/erasures', { limit: PAGE_SIZE, cursor: pageParam }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** One erasure, polled until it is done. */
export const erasureQuery = (id: string) =>
  queryOptions({
    queryKey: ['erasures', id],
    queryFn: () => read<Erasure>(`/erasures/${encodeURIComponent(id)}`),
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === 'done') return false;
      return data?.state === 'cleaning' ? SLOW_POLL_MS : POLL_MS;
    },
  });

/** What an erasure would erase; read anew each time. */
export const erasurePreviewQuery = (subject: ErasureSubject) =>
  queryOptions({
    queryKey: ['erasure-preview', subject],
    queryFn: () => change<ErasurePreview>('POST', '/erasures/preview', subject),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

export type ErasureInput = ErasureSubject & Pick<ErasureCreate, 'reason' | 'until_seq'>;

/** Starts an erasure. */
export const startErasure = (input: ErasureInput): Promise<Erasure> =>
  change<Erasure>('POST', '/erasures', input);

/** Drops what the page still knows of erased events, and reads the rest again. */
export async function forgetErased(cache: QueryClient): Promise<void> {
  for (const name of ['event-bodies', 'event-changes']) cache.removeQueries({ queryKey: [name] });
  await cache.resetQueries({ queryKey: ['entity-states'] });
  await cache.invalidateQueries();
}
