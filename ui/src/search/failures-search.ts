import type { DeadLetterFilter } from '../api/dead-letters';
import { parseTimeRange, type TimeRange } from '../format/time-range';
import { toStrings, toTargetIds } from './live-search';

const NAMES = ['type', 'error'] as const;

/** The filter of the dead letters as it stands in the URL. */
export type FailuresSearch = Omit<DeadLetterFilter, 'since' | 'until'> & TimeRange;

/** The filter of the dead letters. */
export function failuresSearch(search: Record<string, unknown>): FailuresSearch {
  const filter: FailuresSearch = parseTimeRange(search);
  for (const name of NAMES) {
    const [text] = toStrings(search[name]);
    if (text !== undefined) filter[name] = text;
  }
  const [target] = toTargetIds(search['target']);
  if (target !== undefined) filter.target = target;
  return filter;
}
