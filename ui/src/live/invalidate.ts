import type { QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Loads queries again: those in use now, the others when they are used next. A query that is still being loaded for the
 * first time is loaded once more after that, since its response may be older than the change.
 */
export async function invalidate(cache: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const again = cache
    .getQueryCache()
    .findAll({ ...filters, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined)
    .map(async ({ promise, queryKey }) => {
      await promise;
      await cache.invalidateQueries({ queryKey, exact: true });
    });
  // What cannot be loaded shows its error by itself.
  await Promise.allSettled([cache.invalidateQueries(filters), ...again]);
}
