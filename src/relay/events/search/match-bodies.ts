import type { Reader, RequestSignal } from '../../database/reading/reader';

/** The bodies that are read and parsed at once; other reads run between two batches. */
const BATCH_BYTES = 512 * 1024;

/** An event and the size of its body in bytes. */
export interface Head {
  seq: number;
  size: number;
}

interface MatchOptions {
  heads: readonly Head[];
  /** As `bodyConditions` returns them. */
  conditions: string;
  reader: Reader;
  signal?: RequestSignal | undefined;
}

/**
 * The events whose bodies may meet the conditions, by `seq`, read in batches on the reader thread; null if that depends
 * on a state before that is not known.
 */
export async function matchBodies({
  heads,
  conditions,
  reader,
  signal,
}: MatchOptions): Promise<Map<number, true | null>> {
  const matching = new Map<number, true | null>();
  for (const batch of toBatches(heads)) {
    const seqs = batch.map(({ seq }) => seq);
    for (const { key, verdicts } of await reader.matchBodies(seqs, [conditions], signal))
      matching.set(key, verdicts[0] === true || null);
  }
  return matching;
}

/** The first events, up to this many bytes; at least one, however large. */
export function takeBytes<Sized extends Head>(bytes: number, heads: readonly Sized[]): Sized[] {
  let total = 0;
  const beyond = heads.findIndex(({ size }, i) => (total += size) > bytes && i > 0);
  return heads.slice(0, beyond === -1 ? heads.length : beyond);
}

/** Splits events into batches to read at once. */
export function toBatches<Sized extends Head>(heads: readonly Sized[]): Sized[][] {
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
