import { TRIGRAM_LENGTH } from './choose-trigrams';

/** A trigram in at least this share of the sample is common. */
const COMMON_SHARE = 0.5;

const PRINTABLE_ASCII = /^[ -~]{3}$/;
const ASCII_BITS = 7;
const TRIGRAMS = 2 ** (TRIGRAM_LENGTH * ASCII_BITS);
const LINE_BREAK = 0x0a;

/** The trigrams of printable ASCII in at least half of the texts, one after the other. */
export function findCommonTrigrams(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const found = new Set<string>();
    for (let i = 0; i + TRIGRAM_LENGTH <= text.length; i += 1) found.add(text.slice(i, i + TRIGRAM_LENGTH));
    for (const trigram of found) counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  return [...counts]
    .filter(([trigram, count]) => count >= COMMON_SHARE * texts.length && PRINTABLE_ASCII.test(trigram))
    .map(([trigram]) => trigram)
    .join('');
}

/** The trigrams of a list. */
export const trigramsIn = (list: string): string[] => list.match(/[^]{3}/g) ?? [];

/**
 * Trigrams that are not indexed, because most bodies contain them: names of fields, for example. They exclude almost
 * nothing from a search, but would be most of what each event costs here.
 */
export class CommonTrigrams {
  /** One bit for each ASCII trigram. */
  private readonly bits = new Uint32Array(TRIGRAMS / 32);
  private indexed = Buffer.alloc(0);

  constructor(readonly list: string) {
    for (const trigram of trigramsIn(list)) {
      const key = Array.from(trigram).reduce((sum, letter) => (sum << ASCII_BITS) | letter.charCodeAt(0), 0);
      this.bits[key >>> 5]! |= 1 << (key & 31);
    }
  }

  /**
   * The parts of a text (UTF-8) around its other trigrams, as separate lines. Valid until the next call. Trigrams
   * with a character beyond ASCII always remain.
   */
  remove(text: Uint8Array): Uint8Array {
    if (this.list === '') return text;
    if (this.indexed.length < text.length) this.indexed = Buffer.alloc(text.length);
    const { bits, indexed } = this;
    let used = 0;
    let kept = 0;
    let key = 0;
    let beyondAscii = -1;
    for (let i = 0; i < text.length; i += 1) {
      const byte = text[i]!;
      if (byte >= 0x80) beyondAscii = i;
      key = ((key << ASCII_BITS) | (byte & 0x7f)) & (TRIGRAMS - 1);
      if (i < 2 || (i - beyondAscii > 2 && (bits[key >>> 5]! & (1 << (key & 31))) !== 0)) continue;
      // Replaces at least one character, so the result is never longer than the text.
      if (kept < i - 2) indexed[used++] = LINE_BREAK;
      for (let k = Math.max(kept, i - 2); k <= i; k += 1) indexed[used++] = text[k]!;
      kept = i + 1;
    }
    return indexed.subarray(0, used);
  }
}
