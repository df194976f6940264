// The page is in English, so numbers are too, whatever the locale of the browser.
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A count with thousands separators: `12,480`. */
export const formatCount = (value: number): string => whole.format(value);

/** A count and its noun: `1 event`, `2 events`; pass irregular plurals. */
export const formatNoun = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : plural}`;

/** A rate, with one decimal below 10: `0`, `0.4`, `12`, `1,020`. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0 || perSecond >= 10 ? formatCount(perSecond) : perSecond.toFixed(1);

/** A short duration: `0.8 ms`, `12 ms`, `3.1 s`. */
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

/** Shares are rounded to tenths of a percent. */
const TENTHS = 10;

/** A share in percent, with one decimal. `100%` and `0%` are only shown for exact values. */
export function formatShare(part: number, total: number): string {
  if (part === total) return '100%';
  if (part === 0) return '0%';
  const percent = Math.floor((part / total) * 100 * TENTHS) / TENTHS;
  return `${Math.max(1 / TENTHS, percent).toFixed(1)}%`;
}
