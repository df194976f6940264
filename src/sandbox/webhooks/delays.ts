import type { Clock } from '../clock';

/** Delays that can be ended together when the sandbox closes. */
export class Delays {
  private readonly pending = new Set<() => void>();
  private ended = false;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms`, or once it is ended; `onStart` receives a function that ends this delay. */
  async delay(ms: number, onStart: (end: () => void) => void = () => undefined): Promise<void> {
    if (this.ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopTimer();
        this.pending.delete(end);
        resolve();
      };
      const stopTimer = this.clock.after(ms, end);
      this.pending.add(end);
      onStart(end);
    });
  }

  /** Ends all delays now; every later `delay` resolves at once. */
  endAll(): void {
    this.ended = true;
    for (const end of this.pending) end();
  }
}
