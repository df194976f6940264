/** The intended duration of one read: other reads have to wait for it. */
const TARGET_READ_MS = 25;

/** The size of one read, adapted so that it takes about `TARGET_READ_MS`. */
export class AdaptiveStep {
  constructor(
    private current: number,
    private readonly min: number,
    private readonly max: number,
  ) {}

  get size(): number {
    return this.current;
  }

  /** Runs a read of the current size, then adapts the size to its duration. */
  async run<Result>(read: (size: number) => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await read(this.current);
    const tookMs = performance.now() - startedAt;
    const factor = tookMs > TARGET_READ_MS ? 0.5 : tookMs < TARGET_READ_MS / 2 ? 2 : 1;
    this.current = Math.min(this.max, Math.max(this.min, Math.floor(this.current * factor)));
    return result;
  }
}
