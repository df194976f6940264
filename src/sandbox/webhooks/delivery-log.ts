import type { Delivery } from './delivery';

const FINISHED_LIMIT = 100;

/** The deliveries of one webhook: all pending ones and the latest 100 finished ones. */
export class DeliveryLog {
  private readonly pending = new Set<Delivery>();
  private readonly finished: Delivery[] = [];

  constructor(restored: readonly Delivery[] = []) {
    for (const delivery of restored) {
      if (delivery.nextAttemptAt === null) this.finished.push(delivery);
      else this.pending.add(delivery);
    }
  }

  add(delivery: Delivery): void {
    this.pending.add(delivery);
  }

  /** Ends a delivery: no further attempt is made, so its body is dropped. */
  finish(delivery: Delivery, state: 'delivered' | 'failed' | 'cancelled'): void {
    Object.assign(delivery, { state, nextAttemptAt: null, body: '' });
    this.pending.delete(delivery);
    this.finished.push(delivery);
    if (this.finished.length > FINISHED_LIMIT) this.finished.shift();
  }

  cancelAll(): void {
    for (const delivery of this.pending) this.finish(delivery, 'cancelled');
  }

  isPending(delivery: Delivery): boolean {
    return this.pending.has(delivery);
  }

  /** Oldest first. */
  allPending(): Delivery[] {
    return [...this.pending];
  }

  all(): Delivery[] {
    return [...this.finished, ...this.pending];
  }

  latestFirst(): Delivery[] {
    return this.all().toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  }
}
