import type { QueuedCounts } from '../journal/count-queued';
import type { DeliveryKey } from '../../ground/ids';
import type {
  Committed,
  DeliverableEvent,
  DeliveryResult,
  DueDelivery,
  DueTarget,
  QueuedDelivery,
} from '../journal/journal';
import type { Prefetch } from './writer/prefetch';
import type { QueueStore } from '../journal/group-store';
import { RecentEvents } from '../journal/recent-events';
import { positionOf, type SqliteQueueReads } from './sqlite-queue-reads';

/** So many of the newest events are assumed to be in the page cache, if they were written since the start. */
const RECENT_EVENTS = 10_000;

/** The maximum number of prefetched events to remember; beyond it, all are forgotten. */
const MAX_PREFETCHED = 10_000;

/** Reads rows on another thread, so that they are in the page cache. @returns the events that were read */
type ReadAhead = (what: Prefetch) => Promise<number[]>;

/**
 * The reads of the delivery queue, on the main thread: a few microseconds each if the pages are in memory.
 * The pages of a backlog may not be, and a slow disk would block every response; so another thread first
 * reads what is not recent.
 */
export class QueueReads implements QueueStore {
  /** The newest event that was stored before this start; null before the first commit. */
  private newestAtStart: number | null = null;
  /** Newer events are assumed to be in the page cache. */
  private recentFrom = Infinity;
  private readonly prefetched = new Set<number>();
  private readonly recent = new RecentEvents();

  constructor(
    private readonly reads: SqliteQueueReads,
    private readonly readAhead: ReadAhead,
  ) {}

  onCommitted({ events }: Committed): void {
    for (const { seq, draft, planned } of events) if (planned.length > 0) this.recent.add(seq, draft);
    const newest = events.at(-1)?.seq;
    if (newest === undefined) return;
    this.newestAtStart ??= newest - 1;
    this.recentFrom = Math.max(this.newestAtStart, newest - RECENT_EVENTS);
  }

  onPruned(): void {
    this.recent.clear();
  }

  async takeDue(...query: Parameters<SqliteQueueReads['takeDue']>): Promise<DueDelivery[]> {
    const [target, ofClass, now, limit, , after = null] = query;
    const seqs = this.reads.dueEvents(target, ofClass, now, limit, after);
    if (!seqs.every((seq) => this.isInPageCache(seq)))
      await this.prefetch(['due', target, ofClass, now, ...positionOf(after), limit]);
    return this.reads.takeDue(...query);
  }

  /** All: to read nothing costs no more than to ask. */
  async findDue(targets: readonly DueTarget[]): Promise<readonly number[]> {
    return targets.map(({ target }) => target);
  }

  async readSuccessor(head: QueuedDelivery): Promise<QueuedDelivery | null> {
    const next = this.reads.nextInLane(head);
    if (next === null) return null;
    const { key, lane } = head;
    if (!this.isInPageCache(next)) await this.prefetch(['lane', key.target, lane!, key.seq, key.n]);
    return this.reads.readSuccessor(head);
  }

  async readEvent(seq: number): Promise<DeliverableEvent | null> {
    const recent = this.recent.get(seq);
    if (recent !== null) return recent;
    if (!this.isInPageCache(seq)) await this.prefetch(['event', seq]);
    return this.reads.readEvent(seq);
  }

  readEditedBody(key: DeliveryKey): Promise<Uint8Array | null> {
    return Promise.resolve(this.reads.readEditedBody(key));
  }

  countQueued(): Promise<QueuedCounts> {
    return Promise.resolve(this.reads.countQueued());
  }

  isAwaited(result: DeliveryResult): boolean {
    return this.reads.hasSuccessor(result);
  }

  async close(): Promise<void> {
    this.reads.close();
  }

  private isInPageCache(seq: number): boolean {
    return seq > this.recentFrom || this.prefetched.has(seq);
  }

  private async prefetch(what: Prefetch): Promise<void> {
    const seqs = await this.readAhead(what);
    if (this.prefetched.size > MAX_PREFETCHED) this.prefetched.clear();
    for (const seq of seqs) this.prefetched.add(seq);
  }
}
