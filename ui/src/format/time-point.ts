import { formatNoun } from './number';
import { formatTime, parseTimeRange, resolveTimeRange } from './time-range';

/** The points in time that are offered, the latest first. */
export const POINT_PRESETS: readonly string[] = ['15m', '1h', 'today', '24h', '7d'];

const RELATIVE = /^(\d+)([mhd])$/;
const UNIT_NAMES: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' };

/**
 * A point in time as it stands in the URL, if it is one: before now (`24h`, `today` for its start), so that a link keeps its
 * meaning, or in ISO 8601.
 */
export function parseTimePoint(text: unknown): string | undefined {
  const { range, since } = parseTimeRange({ range: text, since: text });
  return range ?? since;
}

/** Its time in ISO 8601, at a certain time. */
export const resolveTimePoint = (point: string, now: number): string | undefined =>
  resolveTimeRange(parseTimeRange({ range: point, since: point }), now).since;

/** `24 hours ago`, `Start of today`, `2026-11-22 23:00`. */
export function describeTimePoint(point: string): string {
  const [, amount, unit] = RELATIVE.exec(point) ?? [];
  if (amount !== undefined) return `${formatNoun(Number(amount), UNIT_NAMES[unit!]!)} ago`;
  return point === 'today' || point === 'yesterday' ? `Start of ${point}` : formatTime(point);
}
