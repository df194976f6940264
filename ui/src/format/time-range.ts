import { formatClock, formatDay } from './exact';
import { formatNoun } from './number';
import { getTimeZone } from './time-zone';

/**
 * A range of time as it stands in the URL: relative to now (`24h`, `today`), so that a link keeps its meaning, or
 * two times in ISO 8601, of which either may be missing.
 */
export interface TimeRange {
  range?: string;
  since?: string;
  until?: string;
}

/** The ranges that are offered, shortest first. */
export const RANGE_PRESETS: readonly string[] = ['15m', '1h', 'today', 'yesterday', '24h', '7d'];

const RELATIVE = /^([1-9]\d{0,3})([mhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT_NAMES: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' };

/** The valid part of a range from a URL. A relative range takes precedence over times. */
export function parseTimeRange({ range, since, until }: Record<string, unknown>): TimeRange {
  if (typeof range === 'string' && (RANGE_PRESETS.includes(range) || RELATIVE.test(range))) return { range };
  const times: TimeRange = {};
  if (isTime(since)) times.since = since;
  if (isTime(until)) times.until = until;
  return times;
}

const isTime = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text));

/** The times of a range at a certain time. */
export function resolveTimeRange({ range, since, until }: TimeRange, now: number): Omit<TimeRange, 'range'> {
  if (range === 'today') return { since: startOfDay(now, 0) };
  if (range === 'yesterday') return { since: startOfDay(now, -1), until: startOfDay(now, 0) };
  const [, amount, unit] = RELATIVE.exec(range ?? '') ?? [];
  if (amount !== undefined && unit !== undefined)
    return { since: new Date(now - Number(amount) * UNIT_MS[unit]!).toISOString() };
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** The start of a day in the selected time zone; days differ in length where clocks are changed. */
function startOfDay(now: number, days: number): string {
  const time = new Date(now);
  const start =
    getTimeZone() === 'utc'
      ? Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() + days)
      : new Date(time.getFullYear(), time.getMonth(), time.getDate() + days).getTime();
  return new Date(start).toISOString();
}

/** `Last 24 hours`, `Yesterday`, `2026-11-22 23:00 – 2026-11-23 01:00`; null for any time. */
export function describeTimeRange({ range, since, until }: TimeRange): string | null {
  if (range === 'today') return 'Today';
  if (range === 'yesterday') return 'Yesterday';
  const [, amount, unit] = RELATIVE.exec(range ?? '') ?? [];
  if (amount !== undefined && unit !== undefined)
    return amount === '1'
      ? `Last ${UNIT_NAMES[unit]!}`
      : `Last ${formatNoun(Number(amount), UNIT_NAMES[unit]!)}`;
  if (since !== undefined && until !== undefined) return `${formatTime(since)} – ${formatTime(until)}`;
  if (since !== undefined) return `From ${formatTime(since)}`;
  return until === undefined ? null : `Until ${formatTime(until)}`;
}

/** A time as in the fields of a range: `2026-11-22 23:00`, with seconds only if there are any. */
export function formatTime(at: string): string {
  const clock = formatClock(at);
  return `${formatDay(at)} ${clock.endsWith(':00') ? clock.slice(0, 5) : clock}`;
}

const FIELD = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** A time written as `2026-11-22 23:00` in the selected time zone, or only its date; null if it is neither. */
export function parseTime(text: string): string | null {
  const match = FIELD.exec(text.trim());
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fields = [year, month - 1, day, hour, minute, second] as const;
  const time = getTimeZone() === 'utc' ? new Date(Date.UTC(...fields)) : new Date(...fields);
  if (Number.isNaN(time.getTime())) return null;
  // A date such as 31 April would become another one.
  const written = `${year}-${pad(month)}-${pad(day)}`;
  const isReal = formatDay(time.toISOString()) === written && hour < 24 && minute < 60 && second < 60;
  return isReal ? time.toISOString() : null;
}

const pad = (value: number) => String(value).padStart(2, '0');
