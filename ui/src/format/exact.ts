import { offsetAt } from './time-zone';

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** A time whose UTC fields are those of the zone that the reader has chosen. */
function inZone(at: string): Date {
  const time = new Date(at);
  return new Date(time.getTime() + offsetAt(time) * 60_000);
}

/**
 * A time to the millisecond in the zone that the reader has chosen, the offset spelt out. Written by hand, not by `Intl`: it
 * reads the same everywhere, sorts, and can be pasted into a search.
 */
export function formatExact(at: string): string {
  const time = inZone(at);
  const offset = offsetAt(new Date(at));
  const size = Math.abs(offset);
  const zone =
    offset === 0
      ? 'UTC'
      : `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
  return `${formatDay(at)} ${formatClock(at)}.${String(time.getUTCMilliseconds()).padStart(3, '0')} ${zone}`;
}

/** The day alone. */
export function formatDay(at: string): string {
  const time = inZone(at);
  return `${time.getUTCFullYear()}-${twoDigits(time.getUTCMonth() + 1)}-${twoDigits(time.getUTCDate())}`;
}

/** The time of day alone. */
export function formatClock(at: string): string {
  const time = inZone(at);
  return `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`;
}
