const ELLIPSIS = '…';

/**
 * The encoded text, cut at a character (and marked with …) if it would be longer than `limit`.
 * @param sizeOf measures the encoded text; by default in UTF-16 units, of which no service counts more than
 *   characters
 */
export function fitText(
  text: string,
  limit: number,
  { encode = (plain: string) => plain, sizeOf = (encoded: string) => encoded.length } = {},
): string {
  const whole = encode(text);
  if (sizeOf(whole) <= limit) return whole;
  // No encoding is shorter than its text, so nothing behind the limit can fit.
  const characters = Array.from(text.slice(0, limit));
  const cut = (count: number) => encode(characters.slice(0, count).join('') + ELLIPSIS);
  let [fits, tooLong] = [0, characters.length + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (sizeOf(cut(middle)) <= limit) fits = middle;
    else tooLong = middle;
  }
  return cut(fits);
}

/**
 * A text that services show as it is (CommonMark, 2.4). Otherwise `[text](url)` in a name, or in what another server
 * has said, would become a link that hides its address.
 */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|[\]()<>@#]/g, String.raw`\$&`);
