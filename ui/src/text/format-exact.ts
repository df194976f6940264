const two = (value: number) => String(value).padStart(2, '0');

/**
 * A time to the millisecond in the reader's own zone, the offset spelt out. Written by hand, not by `Intl`: it reads
 * the same everywhere, sorts, and can be pasted into a search.
 */
export function formatExact(at: string): string {
  const time = new Date(at);
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const offset = -time.getTimezoneOffset();
  const size = Math.abs(offset);
  const zone =
    offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${day} ${formatClock(at)}.${String(time.getMilliseconds()).padStart(3, '0')} ${zone}`;
}

/** The time of day alone. */
export function formatClock(at: string): string {
  const time = new Date(at);
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
