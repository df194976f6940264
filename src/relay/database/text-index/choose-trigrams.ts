import { lowerLatin } from './body-text';

const LENGTH = 3;

/** Each costs the list of all its events to be read: those that nearly all events have are long, and leave nobody out. */
const MOST = 12;
const COMMON = 0.3;
/** Where all are common. */
const LEAST = 3;

/**
 * Whether trigrams can tell of a text: not of one that is too short, nor of one with letters that SQLite compares in
 * another way.
 */
export const hasTrigrams = (text: string): boolean =>
  Array.from(text).length >= LENGTH && !/[\0\uFFFD]/.test(text);

/** Those three letters in a row that leave out the most, going by some texts that are like what is searched, in small letters. */
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
