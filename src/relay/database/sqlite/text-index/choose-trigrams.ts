export const TRIGRAM_LENGTH = 3;

/** Each trigram costs a read of its list of events. */
const MAX_TRIGRAMS = 12;
/** If all are common. */
const MIN_TRIGRAMS = 3;
/** A trigram in more than this share of the events is common: its list is long and excludes almost nothing. */
const COMMON_SHARE = 0.3;

/**
 * The most selective trigrams of a text, estimated from a sample of texts.
 * @param text folded, as the sample is
 * @param common see {@link CommonTrigrams}
 */
export function chooseTrigrams(
  text: string,
  sample: readonly string[],
  common: ReadonlySet<string>,
): string[] {
  const letters = Array.from(text);
  const distinct = new Set(
    letters.slice(TRIGRAM_LENGTH - 1).map((_, at) => letters.slice(at, at + TRIGRAM_LENGTH).join('')),
  );
  const indexed = [...distinct].filter((trigram) => !common.has(trigram));
  const known = Array.from(indexed, (trigram) => ({
    trigram,
    share: sample.filter((body) => body.includes(trigram)).length / Math.max(1, sample.length),
  })).sort((a, b) => a.share - b.share);
  const rare = known.filter(({ share }) => share <= COMMON_SHARE).length;
  return known.slice(0, Math.min(MAX_TRIGRAMS, Math.max(MIN_TRIGRAMS, rare))).map(({ trigram }) => trigram);
}
