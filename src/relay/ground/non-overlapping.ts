/** Work that is begun again and again by a clock: never two runs of it at once, and none after the stop. */
export class OneAtATime {
  private running: Promise<void> | null = null;
  private stopped = false;

  /** @param failed hears of a run that failed; the next is begun all the same */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** To be asked by long work between its steps. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Begins a run, unless one is under way; settles when it ends. */
  async run(): Promise<void> {
    if (this.stopped || this.running !== null) return;
    this.running = this.work()
      .catch(this.failed)
      .finally(() => (this.running = null));
    await this.running;
  }

  /** Waits for the run under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}
