import { SharedRun } from './shared-run';

/** Recurring work whose runs never overlap and that can be stopped. */
export class NonOverlapping {
  private readonly runs: SharedRun<void>;
  private stopped = false;

  /** @param onError called when a run fails; later runs start nevertheless */
  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.runs = new SharedRun(() => work().catch(onError));
  }

  get isRunning(): boolean {
    return this.runs.isRunning;
  }

  /** Long work checks this between its steps. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Starts a run and resolves when it ends; does nothing while one is in progress. */
  async run(): Promise<void> {
    if (!this.stopped && !this.isRunning) await this.runs.run();
  }

  /** Waits for the run in progress; none starts after it. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.runs.idle();
  }
}
