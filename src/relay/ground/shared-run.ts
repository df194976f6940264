/** Work whose concurrent callers share one run. */
export class SharedRun<Result> {
  private current: Promise<Result> | null = null;

  constructor(private readonly work: () => Promise<Result>) {}

  get isRunning(): boolean {
    return this.current !== null;
  }

  /** Starts a run, or joins the one in progress; settles as it does. */
  run(): Promise<Result> {
    this.current ??= this.work().finally(() => (this.current = null));
    return this.current;
  }

  /** Joins only a run that begins after this call: one in progress may have read what has changed since. */
  async runAnew(): Promise<Result> {
    await this.idle();
    return this.run();
  }

  /** Resolves once the run in progress has settled. */
  async idle(): Promise<void> {
    await this.current?.catch(() => undefined);
  }
}
