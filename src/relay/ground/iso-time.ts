/** A time in ms since 1970 as ISO 8601. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** The same; null if there is none. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
