/** The delay before a failed thread is started again; it doubles with each consecutive failure. */
const FIRST_MS = 50;
const MAX_MS = 5_000;

/** @param failures the consecutive ones before this one @returns ms */
export const restartDelayMs = (failures: number): number => Math.min(FIRST_MS * 2 ** failures, MAX_MS);
