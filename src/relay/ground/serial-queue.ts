/** Runs tasks one after the other: each starts once those before it have settled, whether they failed or not. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs the task after those before it; settles as it does. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves once every task queued so far has settled. */
  async idle(): Promise<void> {
    await this.last;
  }
}
