import { parseTimeRange, type TimeRange } from '../format/time-range';

/** The last five minutes, updated every few seconds, instead of a range of time. */
export const LIVE: TimeRange = { range: 'live' };

/** The range of time of the overview's chart. */
export const overviewSearch = (search: Record<string, unknown>): TimeRange =>
  search['range'] === LIVE.range ? LIVE : parseTimeRange(search);
