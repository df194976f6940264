/** Recurring work whose runs never overlap and that stops for good. */
export class NonOverlapping {
  private running: Promise<void> | null = null;
  private stopped = false;

  /** @param onError called when a run fails; later runs start all the same */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Long work checks this between its steps. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Starts a run unless one is in progress; resolves when it ends. */
  async run(): Promise<void> {
    if (this.stopped || this.running !== null) return;
    this.running = this.work()
      .catch(this.onError)
      .finally(() => (this.running = null));
    await this.running;
  }

  /** Waits for the run in progress; none starts after it. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}
