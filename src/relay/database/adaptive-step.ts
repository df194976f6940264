/** So long one read may take, since others wait for the thread that reads. */
const READ_MS = 25;

/** How much one read looks at: as much as takes it about so long. */
export class FittedStep {
  constructor(
    private current: number,
    private readonly least: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.current;
  }

  /** Does a read with it, and takes from its time how large the next one is. */
  async during<Result>(read: (size: number) => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const result = await read(this.current);
    const tookMs = performance.now() - began;
    const factor = tookMs > READ_MS ? 0.5 : tookMs < READ_MS / 2 ? 2 : 1;
    this.current = Math.min(this.most, Math.max(this.least, Math.floor(this.current * factor)));
    return result;
  }
}
