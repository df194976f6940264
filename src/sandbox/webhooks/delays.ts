import type { Clock } from '../clock';

/** Waits that can all be ended early, so that nothing is left waiting when the sandbox closes. */
export class Delays {
  private readonly pending = new Set<() => void>();
  private ended = false;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms`, or as soon as all are ended, or when the function is called that `begun` is given. */
  async delay(ms: number, begun: (end: () => void) => void = () => undefined): Promise<void> {
    if (this.ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.pending.delete(end);
        resolve();
      };
      const cancel = this.clock.after(ms, end);
      this.pending.add(end);
      begun(end);
    });
  }

  /** Ends all pauses, those begun later included. */
  cancelAll(): void {
    this.ended = true;
    for (const end of this.pending) end();
  }
}
