/**
 * How long the slot of an attempt that met an outage stays empty: a target that refuses connections at once would
 * otherwise keep the daemon busy with failures.
 */
const COOLDOWN_MS = 50;

/** Slots that may not be reused yet. */
export class SlotCooldown {
  private readonly timers = new Set<NodeJS.Timeout>();

  get size(): number {
    return this.timers.size;
  }

  add(onEnd: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      onEnd();
    }, COOLDOWN_MS);
    this.timers.add(timer);
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }
}
