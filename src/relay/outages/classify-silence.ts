export const QUARTER_MS = 15 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
export const WEEK_MS = 7 * 24 * HOUR_MS;

/** How many earlier weeks are compared. */
export const WEEKS = 4;

/** How many notifications the same period must usually have before silence is unusual. */
const MIN_USUAL_COUNT = 10;

/** Notifications by quarter of an hour since 1970; quarters without any may be missing. */
export type CountsByQuarter = ReadonlyMap<number, number>;

/**
 * Whether silence since `since` is unusual compared with the same period of up to four previous weeks,
 * since nights, weekends and quiet hours repeat weekly. It is unusual if ten notifications usually arrived:
 * - the lower median of those weeks counts, so that a holiday or an outage among them neither raises nor
 * hides an alarm;
 * - periods an hour earlier and later count too, so that daylight saving time raises no alarm;
 * - only whole quarters of an hour count, so that less than a quarter never raises an alarm.
 *
 * There is no alarm in the first week: nothing is known about a Saturday before one was seen.
 * @param since, now ms since 1970
 * @returns the usual ms between two notifications of such a period, or null if the silence is not unusual
 */
export function classifySilence(counts: CountsByQuarter, since: number, now: number): number | null {
  const first = firstQuarter(counts);
  if (first === null) return null;
  const usual: number[] = [];
  for (let week = 1; week <= WEEKS; week += 1) {
    const [from, to] = [since - week * WEEK_MS, now - week * WEEK_MS];
    if (from - HOUR_MS < first * QUARTER_MS) break;
    usual.push(
      Math.min(...[-HOUR_MS, 0, HOUR_MS].map((shift) => countWithin(counts, from + shift, to + shift))),
    );
  }
  if (usual.length === 0) return null;
  const median = usual.sort((a, b) => a - b)[Math.floor((usual.length - 1) / 2)]!;
  return median < MIN_USUAL_COUNT ? null : Math.round((now - since) / median);
}

function firstQuarter(counts: CountsByQuarter): number | null {
  let first: number | null = null;
  for (const quarter of counts.keys()) if (first === null || quarter < first) first = quarter;
  return first;
}

/** The count of the quarters that lie entirely within the period. */
function countWithin(counts: CountsByQuarter, from: number, to: number): number {
  let sum = 0;
  for (let quarter = Math.ceil(from / QUARTER_MS); (quarter + 1) * QUARTER_MS <= to; quarter += 1)
    sum += counts.get(quarter) ?? 0;
  return sum;
}
