import { unknownCursor } from '../../ground/relay-error';

/** A place in a list of entities: behind an event, by `seq` downwards, or behind an entity, by its name. */
export type Place = number | string;

/** What was found among the entities that were examined, in order, with the place behind each; `end` is behind all of them. */
export interface Block<Item> {
  found: { item: Item; place: Place }[];
  end: Place;
}

/** Where a page begins, and the `seq`s of the points in time that all pages are about. */
export interface EntityCursor {
  points: number[];
  place: Place;
}

export const writeCursor = ({ points, place }: EntityCursor): string =>
  Buffer.from(JSON.stringify([...points, place])).toString('base64url');

/** @param points how many there are @throws RelayError `cursor_unknown`, 400 */
export function readCursor(cursor: string, points: number): EntityCursor {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    const place = parts.pop();
    const isKnown =
      parts.length === points && parts.every(isSeq) && (isSeq(place) || typeof place === 'string');
    if (isKnown) return { points: parts as number[], place: place as Place };
  } catch {
    // Answered below.
  }
  throw unknownCursor();
}

const isSeq = (part: unknown) => Number.isSafeInteger(part) && (part as number) >= 0;

/** A page takes at most this long to find; after that it is returned with fewer items. */
const MAX_SEARCH_MS = 2_000;

/** The first items, and the place behind the last of them; null if there are no more. */
export async function takePage<Item>(
  blocks: AsyncIterable<Block<Item>>,
  limit: number,
): Promise<{ found: Block<Item>['found']; next: Place | null }> {
  const deadline = performance.now() + MAX_SEARCH_MS;
  const found: Block<Item>['found'] = [];
  for await (const block of blocks) {
    found.push(...block.found);
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]!.place };
    if (performance.now() > deadline) return { found, next: block.end };
  }
  return { found, next: null };
}
