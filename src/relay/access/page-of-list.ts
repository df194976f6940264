import type { Page } from '../../contract/page';
import { RelayError } from '../ground/relay-error';

/**
 * A page of what is kept in memory; the cursor is the id of the last one on the page before.
 * @throws RelayError `cursor_unknown`, 400
 */
export function pageOfList<Item extends { id: string }>(
  all: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Page<Item> {
  const last = cursor === undefined ? -1 : all.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && last === -1) {
    throw new RelayError('cursor_unknown', 400, 'The cursor is not one that this list gave.', {
      remedy: 'Pass the next_cursor of the page before, or none for the first page.',
    });
  }
  const page = all.slice(last + 1, last + 1 + limit);
  const more = all.length > last + 1 + limit;
  return { data: page, next_cursor: more ? page.at(-1)!.id : null };
}
