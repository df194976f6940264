/** Pieces of work that may not overlap: each begins once those before it have ended, whatever became of them. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Does the work when its turn comes; settles as it does. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves once all that has been taken so far has ended. */
  async ended(): Promise<void> {
    await this.last;
  }
}
