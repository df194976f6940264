import type { SeqRange } from '../../database/reading/walk-seqs';

/** The fractional part of the golden ratio: its multiples, modulo 1, are distributed most evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Different `seq`s of a range, at most `count`. They are distributed evenly, as are the first of them, however many
 * those are, and they follow no pattern that the events may have.
 */
export function spreadSeqs({ after, before }: SeqRange, count: number): number[] {
  const size = Math.max(0, before - 1 - after);
  if (size <= count) return Array.from({ length: size }, (_, i) => after + 1 + i);
  const seqs = new Set<number>();
  for (let i = 0; i < count; i += 1) seqs.add(after + 1 + Math.floor(((i * GOLDEN) % 1) * size));
  return [...seqs];
}
