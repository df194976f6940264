const PLACES = 10;

/** A share in percent: `100%` only where nothing is missing, `0%` only where there is nothing. */
export function formatShare(part: number, whole: number): string {
  if (part === whole) return '100%';
  if (part === 0) return '0%';
  const percent = Math.floor((part / whole) * 100 * PLACES) / PLACES;
  return `${Math.max(1 / PLACES, percent).toFixed(1)}%`;
}
