import { UNSHOWN } from '../contract/display-name';

const ALL_UNSHOWN = new RegExp(UNSHOWN, 'gu');

/** One line of what the daemon told, such as names that somebody gave: a terminal obeys nothing in it. */
export const oneLine = (text: string): string => text.replaceAll(ALL_UNSHOWN, '\ufffd');

/** JSON on one line, as safe to look at in a terminal as it is to parse: JSON itself escapes the first 32 characters only. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(ALL_UNSHOWN, (unshown) =>
    Array.from({ length: unshown.length }, (_, at) => escape(unshown.charCodeAt(at))).join(''),
  );

const escape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
