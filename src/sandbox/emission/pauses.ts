import type { Clock } from '../clock';

/** Waits that can all be ended early, so that nothing is left waiting when the sandbox closes. */
export class Pauses {
  private readonly enders = new Set<() => void>();
  private ended = false;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms`, or as soon as all are ended, or when the function is called that `begun` is given. */
  async pause(ms: number, begun: (end: () => void) => void = () => undefined): Promise<void> {
    if (this.ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.enders.delete(end);
        resolve();
      };
      const cancel = this.clock.after(ms, end);
      this.enders.add(end);
      begun(end);
    });
  }

  /** Ends all pauses, those begun later included. */
  endAll(): void {
    this.ended = true;
    for (const end of this.enders) end();
  }
}
