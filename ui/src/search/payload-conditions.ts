import { parseExact } from '../payload/parse-exact';
import type { Filter } from '@contract/filter';

/** The conditions on the payload in a URL; null if they are not a filter. */
export function parsePayload(text: string): Filter | null {
  try {
    const filter = parseExact(text);
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter)
      ? (filter as Filter)
      : null;
  } catch {
    return null;
  }
}
