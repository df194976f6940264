import type { Journal, OpenDelivery, Promoted } from '../../database/journal';
import type { Log } from '../../ground/log';

/**
 * What waits next in each lane that has something on its way: read meanwhile, so that it goes out as soon as the result of
 * the one before it is on disk. It holds at most one delivery for each that is on its way.
 */
export class ReadAhead {
  private readonly next = new Map<string, OpenDelivery>();

  constructor(private readonly tools: { journal: Pick<Journal, 'readSuccessor'>; log: Log }) {}

  /** To be called once the request of the one before it is on its way. */
  async readSuccessor(head: OpenDelivery): Promise<void> {
    if (head.lane === null) return;
    try {
      const next = await this.tools.journal.readSuccessor(head);
      if (next !== null) this.next.set(head.lane, next);
    } catch (error) {
      // It is read when it comes forward.
      this.tools.log.error({ err: error, seq: head.key.seq }, 'successor not read');
    }
  }

  /** What came forward, where it is what was read: another one may have taken its place, and it may have been cancelled. */
  take({ seq, n, lane }: Promoted): OpenDelivery | null {
    const next = this.next.get(lane);
    this.next.delete(lane);
    return next?.key.seq === seq && next.key.n === n ? next : null;
  }

  /** Nothing comes forward in its lane for now. */
  forget({ lane }: OpenDelivery): void {
    if (lane !== null) this.next.delete(lane);
  }

  clear(): void {
    this.next.clear();
  }
}
