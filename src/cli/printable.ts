import { UNPRINTABLE } from '../contract/constants';

const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** Replaces control and invisible characters, so that names in a response cannot inject terminal sequences. */
export const oneLine = (text: string): string => text.replaceAll(ALL_UNPRINTABLE, '\ufffd');

/** The same for each line of a text. */
export const printable = (text: string): string => text.split('\n').map(oneLine).join('\n');

/** One line of JSON that is safe to print: JSON.stringify itself escapes only U+0000 to U+001F. */
export const jsonLine = (value: unknown): string => jsonText(JSON.stringify(value));

/** The same for JSON as it was received, in which control characters are white space between tokens. */
export const jsonText = (json: string): string =>
  json
    .replaceAll(/[\t\r\n]/g, ' ')
    .replaceAll(ALL_UNPRINTABLE, (match) =>
      Array.from({ length: match.length }, (_, index) => escape(match.charCodeAt(index))).join(''),
    );

const escape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
