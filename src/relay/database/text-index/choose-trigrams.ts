import { lowerLatin } from './body-text';

const LENGTH = 3;

/** Each costs a read of its list of events; the lists of common trigrams are long, and exclude almost nothing. */
const MOST = 12;
const COMMON = 0.3;
/** If all are common. */
const LEAST = 3;

/** Whether the index can find a text: not if it is too short, or has characters that SQLite compares differently. */
export const hasTrigrams = (text: string): boolean =>
  Array.from(text).length >= LENGTH && !/[\0\uFFFD]/.test(text);

/** The most selective trigrams of a text, judged by a sample of lower-case texts. */
export function chooseTrigrams(text: string, sample: readonly string[]): string[] {
  const letters = Array.from(lowerLatin(text));
  const distinct = new Set(letters.slice(LENGTH - 1).map((_, at) => letters.slice(at, at + LENGTH).join('')));
  const known = Array.from(distinct, (trigram) => ({
    trigram,
    held: sample.filter((one) => one.includes(trigram)).length / Math.max(1, sample.length),
  })).sort((one, other) => one.held - other.held);
  const rare = known.filter(({ held }) => held <= COMMON).length;
  return known.slice(0, Math.min(MOST, Math.max(LEAST, rare))).map(({ trigram }) => trigram);
}
