export const QUARTER_MS = 15 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
export const WEEK_MS = 7 * 24 * HOUR_MS;

/** So many earlier weeks are compared with. */
export const WEEKS = 4;

/** So many notifications the same stretch must usually bring before none at all is unusual. */
const USUALLY_AT_LEAST = 10;

/** Notifications by quarter of an hour since 1970; a quarter without any may be missing. */
export type Counts = ReadonlyMap<number, number>;

/**
 * Whether nothing at all since `since` is unusual: a silence is held against the same stretch of the up to four weeks
 * before, since nights, weekends and quiet hours come back by the week. Unusual is none where ten usually came:
 * - by the lower median of those weeks, so that a holiday or an outage of ours among them neither alarms nor hides one;
 * - an hour earlier and later too, so that the change of the clock to summer time does not alarm every Monday morning;
 * - by whole quarters of an hour, so that never less than a quarter is an alarm, however many notifications come.
 *
 * In the first week there is none: what a Saturday is like is not known before one was seen.
 * @param since, now ms since 1970
 * @returns how many ms usually lie between two notifications of such a stretch, or null where the silence is not unusual
 */
export function judgeSilence(counts: Counts, since: number, now: number): number | null {
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
  return median < USUALLY_AT_LEAST ? null : Math.round((now - since) / median);
}

function firstQuarter(counts: Counts): number | null {
  let first: number | null = null;
  for (const quarter of counts.keys()) if (first === null || quarter < first) first = quarter;
  return first;
}

/** What the quarters brought that lie wholly within. */
function countWithin(counts: Counts, from: number, to: number): number {
  let sum = 0;
  for (let quarter = Math.ceil(from / QUARTER_MS); (quarter + 1) * QUARTER_MS <= to; quarter += 1)
    sum += counts.get(quarter) ?? 0;
  return sum;
}
