import type { Journal, QueuedDelivery, PromotedDelivery } from '../../database/journal/journal';
import type { Log } from '../../ground/log';

/**
 * Reads the second delivery of a lane while the first, its head, is in flight. So the second can be sent as soon as
 * the result of the head is on disk. Holds at most one delivery per delivery in flight.
 */
export class ReadAhead {
  private readonly next = new Map<string, QueuedDelivery>();

  constructor(private readonly tools: { journal: Pick<Journal, 'readSuccessor'>; log: Log }) {}

  /** Called once the request of the head has been sent. */
  async readSuccessor(head: QueuedDelivery): Promise<void> {
    if (head.lane === null) return;
    try {
      const next = await this.tools.journal.readSuccessor(head);
      if (next !== null) this.next.set(head.lane, next);
    } catch (error) {
      // Not needed: the queue reads it again once it is due.
      this.tools.log.error({ err: error, seq: head.key.seq }, 'successor not read');
    }
  }

  /** The new head of a lane, if it is the delivery that was read: that one may have been cancelled meanwhile. */
  take({ seq, n, lane }: PromotedDelivery): QueuedDelivery | null {
    const next = this.next.get(lane);
    this.next.delete(lane);
    return next?.key.seq === seq && next.key.n === n ? next : null;
  }

  /** Called when the attempt of the head did not succeed, so that its successor is not due. */
  forget({ lane }: QueuedDelivery): void {
    if (lane !== null) this.next.delete(lane);
  }

  clear(): void {
    this.next.clear();
  }
}
