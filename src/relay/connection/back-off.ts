import type { Random } from '../ground/random';

const INITIAL_MS = 5_000;
const MAX_MS = 3_600_000;
/** Up to this fraction is subtracted at random, so that many clients do not return at the same moment. */
const JITTER = 0.2;

/** The delay in ms after this many consecutive failures (from 1): 5 s, doubling up to an hour. */
export function backOffMs(failures: number, random: Random): number {
  const delayMs = Math.min(MAX_MS, INITIAL_MS * 2 ** (failures - 1));
  return Math.round(delayMs * (1 - JITTER * random.fraction()));
}
