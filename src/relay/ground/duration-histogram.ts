/** The counts of a histogram, as JSON can have them. */
export interface CountedDurations {
  counts: number[];
  sumMs: number;
}

/** Counts durations in ranges. Counting one costs a few comparisons, and nothing is allocated. */
export class DurationHistogram {
  /** For each bound the durations up to it, and beyond the bound before it; the last is for all that are longer. */
  private readonly counts: Float64Array;
  private sumMs = 0;

  /** @param bounds upper bounds in seconds, inclusive, in ascending order */
  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(durationMs: number): void {
    const seconds = durationMs / 1_000;
    let index = 0;
    while (index < this.bounds.length && seconds > this.bounds[index]!) index += 1;
    this.counts[index]! += 1;
    this.sumMs += durationMs;
  }

  get sumSeconds(): number {
    return this.sumMs / 1_000;
  }

  /** Adds the counts of a histogram with the same bounds. */
  merge({ counts, sumMs }: DurationHistogram): void {
    this.addTaken({ counts: [...counts], sumMs });
  }

  /** Adds what was taken of a histogram with the same bounds. */
  addTaken({ counts, sumMs }: CountedDurations): void {
    for (const [i, count] of counts.entries()) this.counts[i]! += count;
    this.sumMs += sumMs;
  }

  /** What was counted since it was created or last taken. */
  take(): CountedDurations {
    const taken = { counts: [...this.counts], sumMs: this.sumMs };
    this.counts.fill(0);
    this.sumMs = 0;
    return taken;
  }

  /** The bound in seconds that this share of the durations does not exceed, the last one at most. Null without any. */
  quantile(share: number): number | null {
    const cumulative = this.cumulativeCounts;
    const total = cumulative.at(-1)!;
    if (total === 0) return null;
    return this.bounds[cumulative.findIndex((count) => count >= total * share)] ?? this.bounds.at(-1)!;
  }

  /** For each bound, and lastly for infinity, the number of durations up to it. */
  get cumulativeCounts(): number[] {
    let total = 0;
    return Array.from(this.counts, (count) => (total += count));
  }
}
