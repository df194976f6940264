import type { DeliverableEvent, DueDelivery, OpenDelivery } from '../journal';
import type { Prefetch } from '../writer/prefetch';
import type { SqliteQueueReads } from './sqlite-queue-reads';

/** The newest events, if written since the start, are assumed to be in the page cache. */
const RECENT_EVENTS = 10_000;

/** The number of prefetched events to remember; beyond it, all are forgotten. */
const REMEMBERED = 10_000;

/** Reads on another thread what may not be in memory. @returns the events that were read */
type ReadAhead = (what: Prefetch) => Promise<number[]>;

/**
 * The reads of the delivery queue, on the main thread: some microseconds if the pages are in memory. A backlog may not be,
 * and a slow disk would block every response; so whatever is not recent is first read by another thread.
 */
export class QueueReads {
  private storedBefore: number | null = null;
  private recentFrom = Infinity;
  private readonly inMemory = new Set<number>();

  constructor(
    private readonly reads: SqliteQueueReads,
    private readonly readAhead: ReadAhead,
  ) {}

  /** @param seq the newest event of a group */
  noteStored(seq: number): void {
    this.storedBefore ??= seq - 1;
    this.recentFrom = Math.max(this.storedBefore, seq - RECENT_EVENTS);
  }

  async takeDue(...which: Parameters<SqliteQueueReads['takeDue']>): Promise<DueDelivery[]> {
    const [target, ofClass, now, limit] = which;
    const seqs = this.reads.dueEvents(target, ofClass, now, limit);
    if (!seqs.every((seq) => this.isInMemory(seq))) await this.prefetch(['due', target, ofClass, now, limit]);
    return this.reads.takeDue(...which);
  }

  async readSuccessor(head: OpenDelivery): Promise<OpenDelivery | null> {
    const next = this.reads.nextInLane(head);
    if (next === null) return null;
    const { key, lane } = head;
    if (!this.isInMemory(next)) await this.prefetch(['lane', key.target, lane!, key.seq, key.n]);
    return this.reads.readSuccessor(head);
  }

  async readEvent(seq: number): Promise<DeliverableEvent | null> {
    if (!this.isInMemory(seq)) await this.prefetch(['event', seq]);
    return this.reads.readEvent(seq);
  }

  private isInMemory(seq: number): boolean {
    return seq > this.recentFrom || this.inMemory.has(seq);
  }

  private async prefetch(what: Prefetch): Promise<void> {
    const seqs = await this.readAhead(what);
    if (this.inMemory.size > REMEMBERED) this.inMemory.clear();
    for (const seq of seqs) this.inMemory.add(seq);
  }
}
