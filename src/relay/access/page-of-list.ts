import type { Page } from '../../contract/page';
import { unknownCursor } from '../ground/relay-error';
import { cutPage } from '../ground/cut-page';

/**
 * A page of a list in memory. The cursor is the id of the last item on the previous page.
 * @throws RelayError `cursor_unknown`, 400
 */
export function pageOfList<Item extends { id: string }>(
  all: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Page<Item> {
  const last = cursor === undefined ? -1 : all.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && last === -1) throw unknownCursor();
  return cutPage(all.slice(last + 1), limit);
}
