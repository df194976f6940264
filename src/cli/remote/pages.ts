import type { Page } from '../../contract/page';

const MAX_PAGE = 200;

/** Asks a list of the API for a page. */
export type ReadPage<Item> = (query: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

/** The items of a list of the API, page by page. @param limit how many at most */
export async function* itemsOf<Item>(read: ReadPage<Item>, limit = Infinity): AsyncGenerator<Item> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await read({ limit: Math.min(MAX_PAGE, left), cursor });
    yield* page.data;
    left -= page.data.length;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && left > 0);
}
