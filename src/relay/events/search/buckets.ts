import type { EventHistogram, EventStatus } from '../../../contract/event';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Widths that are easy to read on an axis, in seconds; beyond the last one, its multiples. */
const WIDTHS_S = [
  [1, 2, 5, 10, 15, 30],
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_S),
  [1, 2, 3, 6, 12].map((hours) => hours * HOUR_S),
  [1, 2, 7, 30].map((days) => days * DAY_S),
].flat();

/** Counts events by time and status in a limited number of equal buckets. Times are ms since 1970. */
export class Buckets {
  private readonly widthMs: number;
  private readonly start: number;
  private readonly counts: Map<EventStatus, number>[];

  /** Buckets that cover the time from `since` to `until`, at multiples of their width. */
  constructor(since: number, until: number, max: number) {
    const last = Math.max(since, until - 1);
    const amount = (widthMs: number) => Math.floor(last / widthMs) - Math.floor(since / widthMs) + 1;
    const longest = WIDTHS_S.at(-1)! * 1_000;
    const fitting = WIDTHS_S.map((width) => width * 1_000).find((widthMs) => amount(widthMs) <= max);
    // Not aligned to its multiples, a range may touch one bucket more than it fills.
    this.widthMs = fitting ?? longest * Math.ceil((last - since) / longest / Math.max(1, max - 1));
    this.start = Math.floor(since / this.widthMs) * this.widthMs;
    this.counts = Array.from({ length: amount(this.widthMs) }, () => new Map());
  }

  /** Times outside the range, which a clock that was set can cause, belong to the first or last bucket. */
  add(at: number, status: EventStatus, weight: number): void {
    const index = Math.floor((at - this.start) / this.widthMs);
    const bucket = this.counts[Math.min(this.counts.length - 1, Math.max(0, index))]!;
    bucket.set(status, (bucket.get(status) ?? 0) + weight);
  }

  toHistogram(): Omit<EventHistogram, 'estimated'> {
    const buckets = this.counts.map((counts, i) => ({
      at: new Date(this.start + i * this.widthMs).toISOString(),
      counts: Object.fromEntries([...counts].map(([status, weight]) => [status, Math.round(weight)])),
    }));
    const count = buckets.flatMap(({ counts }) => Object.values(counts)).reduce((sum, one) => sum + one, 0);
    return { count, bucket_s: this.widthMs / 1_000, buckets };
  }
}
