import { offsetAt } from './time-zone';

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** A date whose UTC fields are those of the selected time zone. */
function inZone(at: string): Date {
  const time = new Date(at);
  return new Date(time.getTime() + offsetAt(time) * 60_000);
}

/**
 * A time to the millisecond in the selected time zone, with its offset. `Intl` is not used: this format is
 * the same in every locale, sorts, and can be pasted into a search.
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

/** The date: `2026-11-22`. */
export function formatDay(at: string): string {
  const time = inZone(at);
  return `${time.getUTCFullYear()}-${twoDigits(time.getUTCMonth() + 1)}-${twoDigits(time.getUTCDate())}`;
}

/** The time of day: `09:12:05`. */
export function formatClock(at: string): string {
  const time = inZone(at);
  return `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`;
}

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const MILLISECONDS_AND_ZONE = /\.\d{3} \S+$/;

/** A sentence of the daemon, which knows UTC only, with its times in the reader's own zone; each day is said once. */
export function localizeTimes(sentence: string): string {
  let day = '';
  return sentence.replace(INSTANT, (at) => {
    const isSameDay = day === formatDay(at);
    day = formatDay(at);
    return isSameDay ? formatClock(at) : formatExact(at).replace(MILLISECONDS_AND_ZONE, '');
  });
}
