/** Limits concurrency; excess work waits in order. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private available: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.available > 0) this.available--;
    else await new Promise<void>((enter) => this.waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.available++;
    }
  }
}
