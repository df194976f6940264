import type { Delays } from './delays';

/** The next notification may never come. */
const MAX_HOLD_MS = 3_000;

/** Swaps consecutive notifications: holds one per webhook until the next one has been attempted. */
export class ReorderBuffer {
  private readonly held = new Map<string, () => void>();

  constructor(private readonly delays: Delays) {}

  isHolding(webhookId: string): boolean {
    return this.held.has(webhookId);
  }

  /** Resolves when `release` is called for the webhook, or after `MAX_HOLD_MS`. */
  async hold(webhookId: string): Promise<void> {
    await this.delays.delay(MAX_HOLD_MS, (end) => this.held.set(webhookId, end));
    this.held.delete(webhookId);
  }

  release(webhookId: string): void {
    this.held.get(webhookId)?.();
  }
}
