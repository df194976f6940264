/**
 * How long a slot stays unused after an attempt whose target was unavailable. Without it, a target at which
 * connections fail immediately would keep the daemon busy with failures.
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
