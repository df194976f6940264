/** Each bucket ends a tenth above the previous one, so that a quantile is at most a tenth too high. */
const GROWTH = 1.1;
/** The last one begins at more than ten minutes. */
const BUCKETS = 144;

const bucketOf = (ms: number) =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log(Math.max(1, ms)) / Math.log(GROWTH))));

/** A histogram of durations in ms, of constant size. */
export class DurationCounts {
  private readonly buckets = new Uint32Array(BUCKETS);

  record(ms: number): void {
    this.buckets[bucketOf(ms)]! += 1;
  }

  add({ buckets }: DurationCounts): void {
    for (const [i, count] of buckets.entries()) this.buckets[i]! += count;
  }

  /** The duration that this share of all does not exceed; null if there are none. */
  quantile(share: number): number | null {
    const total = this.buckets.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let seen = 0;
    const bucket = this.buckets.findIndex((count) => (seen += count) >= total * share);
    return Math.round(GROWTH ** bucket);
  }
}
