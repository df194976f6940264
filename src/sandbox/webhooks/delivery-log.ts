import type { Delivery } from './delivery';

const FINISHED_LIMIT = 100;

/** The notifications of one webhook: all that are still on their way, and the latest hundred that are not. */
export class DeliveryLog {
  private readonly pending = new Set<Delivery>();
  private readonly finished: Delivery[] = [];

  /** `kept` is what an earlier run left. */
  constructor(kept: readonly Delivery[] = []) {
    for (const delivery of kept) {
      if (delivery.nextAttemptAt === null) this.finished.push(delivery);
      else this.pending.add(delivery);
    }
  }

  add(delivery: Delivery): void {
    this.pending.add(delivery);
  }

  /** Ends the delivery: no further attempt is made. */
  finish(delivery: Delivery, state: 'delivered' | 'failed' | 'cancelled'): void {
    Object.assign(delivery, { state, nextAttemptAt: null, body: '' });
    this.pending.delete(delivery);
    this.finished.push(delivery);
    if (this.finished.length > FINISHED_LIMIT) this.finished.shift();
  }

  /** Ends all that are on their way. */
  cancelAll(): void {
    for (const delivery of this.pending) this.finish(delivery, 'cancelled');
  }

  isPending(delivery: Delivery): boolean {
    return this.pending.has(delivery);
  }

  /** Those on their way, oldest first. */
  allPending(): Delivery[] {
    return [...this.pending];
  }

  /** All that are kept. */
  all(): Delivery[] {
    return [...this.finished, ...this.pending];
  }

  /** All that are kept, the latest first. */
  latestFirst(): Delivery[] {
    return this.all().toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  }
}
