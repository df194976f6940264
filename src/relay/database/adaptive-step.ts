/** How long one read may take, since others wait for the reading thread. */
const READ_MS = 25;

/** The size of one read, adapted so that it takes about `READ_MS`. */
export class AdaptiveStep {
  constructor(
    private current: number,
    private readonly least: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.current;
  }

  /** Runs a read of the current size, and derives the next size from its duration. */
  async run<Result>(read: (size: number) => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const result = await read(this.current);
    const tookMs = performance.now() - began;
    const factor = tookMs > READ_MS ? 0.5 : tookMs < READ_MS / 2 ? 2 : 1;
    this.current = Math.min(this.most, Math.max(this.least, Math.floor(this.current * factor)));
    return result;
  }
}
