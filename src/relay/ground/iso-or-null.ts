/** A time in ms since 1970 as ISO 8601; null if there is none. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
