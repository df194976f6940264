import type { EntitySearch } from '../api/entities';
import { parseTimePoint } from '../format/time-point';
import { MAX_COLUMNS } from './events-search';
import { toStrings } from './live-search';
import { parsePayload } from './payload-conditions';

/** What the Entities screen shows. */
export function entitiesSearch(search: Record<string, unknown>): EntitySearch {
  const [kind, q, payload] = [search['kind'], search['q'], search['payload']].map((one) => toStrings(one)[0]);
  const { state } = search;
  const [asOf, from] = [parseTimePoint(search['as_of']), parseTimePoint(search['from'])];
  const column = toStrings(search['column']);
  return {
    ...(kind !== undefined && { kind }),
    ...(q !== undefined && { q }),
    ...((state === 'deleted' || state === 'all') && { state }),
    ...(payload !== undefined && parsePayload(payload) !== null && { payload }),
    ...(asOf !== undefined && { as_of: asOf }),
    ...(from !== undefined && { from }),
    ...(column.length > 0 && { column: [...new Set(column)].slice(0, MAX_COLUMNS) }),
  };
}
