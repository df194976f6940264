import type { Clock } from '../clock';

/** Delays that can be cancelled together when the sandbox closes. */
export class Delays {
  private readonly pending = new Set<() => void>();
  private cancelled = false;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms` or when cancelled; `onStart` receives a function that ends this delay early. */
  async delay(ms: number, onStart: (end: () => void) => void = () => undefined): Promise<void> {
    if (this.cancelled || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.pending.delete(end);
        resolve();
      };
      const cancel = this.clock.after(ms, end);
      this.pending.add(end);
      onStart(end);
    });
  }

  /** Ends all delays, including later ones. */
  cancelAll(): void {
    this.cancelled = true;
    for (const end of this.pending) end();
  }
}
