import type { Clock } from '../clock';

/** Waits that can all be ended early, so that nothing is left waiting when the sandbox closes. */
export class Pauses {
  private readonly enders = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms`, or when all are ended. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.enders.delete(end);
        resolve();
      };
      const cancel = this.clock.after(ms, end);
      this.enders.add(end);
    });
  }

  endAll(): void {
    for (const end of this.enders) end();
  }
}
