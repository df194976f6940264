import type { DeadLetterFilter } from '../api/dead-letters';
import { toStrings } from './live-search';

const NAMES = ['target', 'type', 'error', 'since', 'until'] as const;

/** The filter of the dead letters. */
export function failuresSearch(search: Record<string, unknown>): DeadLetterFilter {
  const filter: DeadLetterFilter = {};
  for (const name of NAMES) {
    const [text] = toStrings(search[name]);
    if (text !== undefined) filter[name] = text;
  }
  return filter;
}
