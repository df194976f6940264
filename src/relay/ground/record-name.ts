import { isJsonObject } from './parse-body';

/** Of the name of an event, in characters. */
export const MAX_NAME_LENGTH = 200;

/** What a record is called; null if it has neither a name nor a title. */
export function recordName(record: unknown): string | null {
  const name = isJsonObject(record) ? (record['name'] ?? record['title']) : null;
  return typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : null;
}
