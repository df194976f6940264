import { isJsonObject, parseBody } from './parse-body';
import { readTime } from './read-time';

/**
 * The version of the record in a payload: `data.updated_at` in ms since 1970. Null if it is missing, no time, or before
 * 1970.
 */
export const versionOf = (payload: unknown): number | null =>
  readVersion(isJsonObject(payload) ? payload['data'] : null);

/** The same of the record itself. */
export function readVersion(record: unknown): number | null {
  const updatedAt = isJsonObject(record) ? record['updated_at'] : null;
  const version = typeof updatedAt === 'string' ? readTime(updatedAt) : null;
  return version === null || version < 0 ? null : version;
}

/** The version of the record in a stored body; null also if that is not JSON. */
export function versionOfBody(body: Uint8Array): number | null {
  try {
    return versionOf(parseBody(body));
  } catch {
    return null;
  }
}
