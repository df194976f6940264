import type { Delays } from './delays';

/** How long a notification is held back for the next one, which may never come. */
const MAX_HOLD_MS = 3_000;

/** Lets neighbours change places: what is held back for a webhook goes when the next one for it was tried. */
export class ReorderBuffer {
  private readonly held = new Map<string, () => void>();

  constructor(private readonly delays: Delays) {}

  /** Whether one is held back for this webhook already; one at a time is. */
  isHeld(webhookId: string): boolean {
    return this.held.has(webhookId);
  }

  /** Resolves when `release` is called for the webhook, and after three seconds at the latest. */
  async hold(webhookId: string): Promise<void> {
    await this.delays.delay(MAX_HOLD_MS, (end) => this.held.set(webhookId, end));
    this.held.delete(webhookId);
  }

  /** The next one was tried. */
  release(webhookId: string): void {
    this.held.get(webhookId)?.();
  }
}
