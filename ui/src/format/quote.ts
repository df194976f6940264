/** What needs no quotes in a shell. */
const PLAIN = /^[\w./:@%+=,-]+$/;
/** Characters that a terminal interprets or does not show. A line feed within quotes is harmless. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MUST_ESCAPE = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Quotes an argument for a POSIX shell, with `$'…'` if bytes must be escaped. */
export const quote = (text: string): string =>
  UNPRINTABLE.test(text)
    ? `$'${text.replaceAll(MUST_ESCAPE, bytesOf)}'`
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same, without quotes around what needs none. */
export const quoteIfNeeded = (text: string): string => (PLAIN.test(text) ? text : quote(text));

const bytesOf = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(
    '',
  );
