/** Control characters, C1 among them, and what turns or hides the text around it. Joiners belong to words and emoji. */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/gu;

/** One line of what the daemon told, such as names that somebody gave: a terminal obeys nothing in it. */
export const oneLine = (text: string): string => text.replaceAll(UNSHOWN, '\ufffd');

/** JSON on one line, as safe to look at in a terminal as it is to parse: JSON itself escapes the first 32 characters only. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(UNSHOWN, (unshown) =>
    Array.from({ length: unshown.length }, (_, at) => escape(unshown.charCodeAt(at))).join(''),
  );

const escape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
