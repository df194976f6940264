import type { Page } from '../../contract/page';
import type { HubClient, Query } from './hub-client';

const MAX_PAGE = 200;

/** The items of a list of the API, page by page. @param limit how many at most */
export async function* itemsOf<Item>(
  hub: HubClient,
  path: string,
  query: Query,
  limit = Infinity,
): AsyncGenerator<Item> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await hub.request('GET', path, {
      query: { ...query, limit: Math.min(MAX_PAGE, left), cursor },
    });
    yield* page.data;
    left -= page.data.length;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && left > 0);
}
