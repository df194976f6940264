import type { Reader } from '../database/reader';
import type { ContentMatcher } from '../targets/compile-filter';
import { parseStored } from './parse-stored';

/** So much is read and parsed in one turn. */
const BATCH_BYTES = 512 * 1024;

/** A readable event, and how large its body is. */
interface Head {
  seq: number;
  size: number;
}

/** The events whose content matches, by `seq`: read and parsed a piece at a time, since parsing holds up whatever else is to be done. */
export async function matchingContent(
  heads: readonly Head[],
  matches: ContentMatcher,
  reader: Reader,
): Promise<Set<number>> {
  const matching = new Set<number>();
  for (const batch of batchesOf(heads)) {
    const bodies = await reader.all<{ seq: number; body: Uint8Array }>([
      `SELECT seq, body FROM events WHERE seq IN (${batch.map(() => '?').join(', ')})`,
      batch.map(({ seq }) => seq),
    ]);
    for (const { seq, body } of bodies) if (matches(parseStored(body))) matching.add(seq);
  }
  return matching;
}

/** As many of them, from the first on, as have no more bytes together; but for one that is larger alone. */
export function within<Sized extends Head>(bytes: number, heads: readonly Sized[]): Sized[] {
  let total = 0;
  const beyond = heads.findIndex(({ size }, i) => (total += size) > bytes && i > 0);
  return heads.slice(0, beyond === -1 ? heads.length : beyond);
}

/** In pieces that are read in one go. */
export function batchesOf<Sized extends Head>(heads: readonly Sized[]): Sized[][] {
  const batches: Sized[][] = [];
  let size = Infinity;
  for (const head of heads) {
    if (size + head.size > BATCH_BYTES) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)!.push(head);
    size += head.size;
  }
  return batches;
}
