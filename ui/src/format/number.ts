// The words of the page are English, so its numbers are too, whatever the browser says of itself.
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A count with thousands apart: `12,480`. */
export const formatCount = (value: number): string => whole.format(value);

/** A count and its noun: `1 event`, `2 events`; give the plural where it is not made with an s. */
export const formatNoun = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : plural}`;

/** A rate that stays readable from idle to busy: `0`, `0.4`, `12`, `1,020`. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0 || perSecond >= 10 ? formatCount(perSecond) : perSecond.toFixed(1);

/** A time span of machines: `0.8 ms`, `12 ms`, `3.1 s`. */
export function formatMilliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return value >= 10 || value === 0 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;
}

/** A size in bytes: `412 B`, `1.2 kB`, `3.4 MB`, `120.5 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
