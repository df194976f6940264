import type { Reader, RequestSignal } from '../../database/reader';

/** So much is read and parsed in one go, so that others come in between. */
const BATCH_BYTES = 512 * 1024;

/** A readable event, and how large its body is. */
interface Head {
  seq: number;
  size: number;
}

interface Look {
  heads: readonly Head[];
  /** As JSON; it was compiled before, so it is one that can be used. */
  filter: string;
  reader: Reader;
  signal?: RequestSignal | undefined;
}

/** The events whose content matches, by `seq`: read, parsed and looked at a piece at a time in the thread that reads. */
export async function matchingContent({ heads, filter, reader, signal }: Look): Promise<Set<number>> {
  const matching = new Set<number>();
  for (const batch of batchesOf(heads)) {
    const rows = await reader.all<{ seq: number }>(
      [
        'SELECT seq FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND matches_filter(?, body)',
        [JSON.stringify(batch.map(({ seq }) => seq)), filter],
      ],
      signal,
    );
    for (const { seq } of rows) matching.add(seq);
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
