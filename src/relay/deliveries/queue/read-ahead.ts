import type { Journal, OpenDelivery, Promoted } from '../../database/journal';
import type { Log } from '../../ground/log';

/**
 * Reads the successor in a lane while its head is in flight, so that it can be sent as soon as the head's result is on disk.
 * Holds at most one delivery per delivery in flight.
 */
export class ReadAhead {
  private readonly next = new Map<string, OpenDelivery>();

  constructor(private readonly tools: { journal: Pick<Journal, 'readSuccessor'>; log: Log }) {}

  /** Called once the request of the head has been sent. */
  async readSuccessor(head: OpenDelivery): Promise<void> {
    if (head.lane === null) return;
    try {
      const next = await this.tools.journal.readSuccessor(head);
      if (next !== null) this.next.set(head.lane, next);
    } catch (error) {
      // It is read again when it is promoted.
      this.tools.log.error({ err: error, seq: head.key.seq }, 'successor not read');
    }
  }

  /** The promoted delivery, if it is the one that was read: it may have been cancelled or overtaken. */
  take({ seq, n, lane }: Promoted): OpenDelivery | null {
    const next = this.next.get(lane);
    this.next.delete(lane);
    return next?.key.seq === seq && next.key.n === n ? next : null;
  }

  /** Its lane does not advance for now. */
  forget({ lane }: OpenDelivery): void {
    if (lane !== null) this.next.delete(lane);
  }

  clear(): void {
    this.next.clear();
  }
}
