/**
 * So long the place of an attempt that met an outage stays empty: a dead target that refuses at once would otherwise keep
 * the whole daemon busy with refusals.
 */
const COOLDOWN_MS = 50;

/** Places that are not taken again at once. */
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
