import type { HubFlags } from '../definitions/hub-flags';
import { note, writeJson, writeTable, type Column } from './output';
import { itemsOf, type ReadPage } from './pages';

const DEFAULT_LIMIT = 50;

/** The flags of every list. */
export interface ListFlags extends HubFlags {
  limit?: number;
  all?: true;
}

/**
 * Prints a list of the API, as a table or as JSON, as far as the flags say.
 * @param what one of its items is @param printJson how one is printed as JSON
 */
export async function writeItems<Item>(
  read: ReadPage<Item>,
  columns: readonly Column<Item>[],
  what: string,
  { json, limit = DEFAULT_LIMIT, all }: ListFlags,
  printJson: (item: Item) => Promise<void> = writeJson,
): Promise<void> {
  const atMost = all ? Infinity : limit;
  const items: Item[] = [];
  for await (const item of itemsOf(read, atMost))
    if (json) await printJson(item);
    else items.push(item);
  if (json) return;
  if (items.length === 0) note(`There is no ${what}.`);
  else await writeTable(columns, items);
  if (items.length === atMost && process.stderr.isTTY)
    note(`The first ${atMost} are shown; --all or --limit shows more.`);
}
