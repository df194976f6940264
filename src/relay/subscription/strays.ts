import { Injectable } from '@nestjs/common';

/**
 * Webhooks that a verified notification named and that are not the ones we know of: what is signed with a secret of ours
 * is ours, so there are two where one is wanted, as after a create whose answer was lost. In memory: as long as such a one
 * is there, it sends.
 */
@Injectable()
export class Strays {
  private readonly found = new Map<string, number>();
  private readonly removed = new Set<string>();
  private listener: () => void = () => undefined;

  /** Told of each that was not known before. */
  onFound(listener: () => void): void {
    this.listener = listener;
  }

  note(subscriptionId: number, webhookId: string): void {
    if (this.found.has(webhookId) || this.removed.has(webhookId)) return;
    this.found.set(webhookId, subscriptionId);
    this.listener();
  }

  of(subscriptionId: number): string[] {
    return [...this.found].filter(([, found]) => found === subscriptionId).map(([webhookId]) => webhookId);
  }

  /** What it sent before still arrives for a while. */
  noteRemoved(webhookId: string): void {
    this.found.delete(webhookId);
    this.removed.add(webhookId);
  }
}
