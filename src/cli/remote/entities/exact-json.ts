import { randomUUID } from 'node:crypto';
import { parseLongNumbers } from '../../../contract/parse-long-numbers';
import { jsonText } from '../../printable';
import { writeLine } from '../output';

/** No text of a hub begins with it. */
const MARK = `${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g');

/** Parses an answer; a number that JavaScript would round becomes a marked text with its digits. */
export const parseExact = async <Answer>(text: Promise<string>): Promise<Answer> =>
  parseLongNumbers(await text, MARK) as Answer;

/** The JSON of a part of it, with all digits. */
const exactJson = (value: unknown): string => JSON.stringify(value).replaceAll(MARKED, '$1');

/** Prints a part of it as JSON. */
export const writeExact = (value: unknown): Promise<void> => writeLine(jsonText(exactJson(value)));

/** A value for people: a text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' && !value.startsWith(MARK) ? value : exactJson(value);
}
