import type { Page } from '../../contract/page';

/** A page of a list that was read with `limit + 1`: one more item means that there is another page. */
export function cutPage<Item extends { id: string }>(items: readonly Item[], limit: number): Page<Item> {
  const data = items.slice(0, limit);
  return { data, next_cursor: items.length > limit ? data.at(-1)!.id : null };
}
