import type { Random } from '../ground/random';

const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
/** Up to this part is taken off at random, so that many clients do not come back at the same moment. */
const JITTER = 0.2;

/** How long to wait after the given number of failures in a row (from 1): 5 s, doubling up to an hour. In ms. */
export function backOffMs(failures: number, random: Random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(full * (1 - JITTER * random.fraction()));
}
