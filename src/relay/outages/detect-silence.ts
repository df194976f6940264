export const QUARTER_MS = 15 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
export const WEEK_MS = 7 * 24 * HOUR_MS;

/** How many previous weeks are compared. */
export const WEEKS = 4;

/** How many notifications the same period must usually have before silence is unusual. */
const MIN_USUAL_COUNT = 10;

/** The number of notifications in each quarter of an hour, counted since 1970. Without an entry it is 0. */
export type CountsByQuarter = ReadonlyMap<number, number>;

/**
 * Detects unusual silence: no notification since `since`, although at least ten usually arrive in this period.
 * The period is compared with the same one of up to four previous weeks, because nights, weekends and quiet
 * hours repeat weekly:
 * - The lower median of those weeks counts, so one week with a holiday or an outage changes nothing.
 * - In each week the lowest count of the period itself, an hour earlier and an hour later is used, so a change
 *   to or from daylight saving time is not mistaken for silence.
 * - Only whole quarters of an hour are counted, so a shorter silence is never unusual.
 *
 * In the first week nothing is unusual: there is nothing to compare with.
 * @param since, now ms since 1970
 * @returns the usual interval between two notifications in this period, in ms; null if it is not unusual
 */
export function detectSilence(counts: CountsByQuarter, since: number, now: number): number | null {
  const firstQuarter = Math.min(...counts.keys());
  const weeklyCounts: number[] = [];
  for (let week = 1; week <= WEEKS; week += 1) {
    const [from, to] = [since - week * WEEK_MS, now - week * WEEK_MS];
    if (from - HOUR_MS < firstQuarter * QUARTER_MS) break;
    weeklyCounts.push(
      Math.min(...[-HOUR_MS, 0, HOUR_MS].map((shift) => countWithin(counts, from + shift, to + shift))),
    );
  }
  if (weeklyCounts.length === 0) return null;
  const median = weeklyCounts.sort((a, b) => a - b)[Math.floor((weeklyCounts.length - 1) / 2)]!;
  return median < MIN_USUAL_COUNT ? null : Math.round((now - since) / median);
}

/** The count of the quarters that lie entirely within the period. */
function countWithin(counts: CountsByQuarter, from: number, to: number): number {
  let sum = 0;
  for (let quarter = Math.ceil(from / QUARTER_MS); (quarter + 1) * QUARTER_MS <= to; quarter += 1)
    sum += counts.get(quarter) ?? 0;
  return sum;
}
