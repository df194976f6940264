import type { EventSummary } from '../../../src/contract/event';
import type { EventFilter } from '../../../ui/src/api/events';
import { matchesFilter } from '../../../ui/src/live/event-filter';
import { EventTail } from '../../../ui/src/live/event-tail';

const event = (seq: number, status: EventSummary['status'] = 'pending'): EventSummary => ({
  id: `evt_${seq}`,
  seq,
  type: seq % 3 === 0 ? 'task.created' : 'deal.updated',
  entity: null,
  name: null,
  occurred_at: null,
  received_at: '2026-01-01T00:00:00.000Z',
  size_bytes: 1,
  repair_id: null,
  unreadable: null,
  erased_at: null,
  duplicates: 0,
  status,
  targets: {},
});

/** A minimal daemon that stores numbered events, publishes them to a list and serves its pages. */
export class FakeDaemon {
  stored = 0;
  /** Events up to this sequence are delivered. */
  delivered = 0;
  isDown = false;
  /** Number of requests so far. */
  requests = 0;
  readonly tail: EventTail;
  private published = 0;
  private readonly pending: (() => void)[] = [];

  /** @param searchedPerPage how many events are searched for one page, matching or not */
  constructor(
    private readonly filter: EventFilter = {},
    private readonly searchedPerPage = Infinity,
  ) {
    this.tail = new EventTail(filter, (limit, cursor) => {
      this.requests += 1;
      const below = cursor === undefined ? this.stored + 1 : Number(cursor.slice('evt_'.length));
      const lowest = Math.max(1, below - this.searchedPerPage);
      const matching = this.newestFirst(below - 1).filter(({ seq }) => seq >= lowest);
      const data = matching.slice(0, limit);
      const end = lowest > 1 ? `evt_${lowest}` : null;
      const page = { data, next_cursor: matching.length > limit ? data.at(-1)!.id : end };
      const { isDown: wasDown } = this;
      return new Promise((resolve, reject) =>
        this.pending.push(() => (wasDown ? reject(new Error('The daemon is down.')) : resolve(page))),
      );
    });
  }

  async open(): Promise<void> {
    void this.tail.catchUp();
    await this.respond();
  }

  /** Completes the pending requests. */
  async respond(): Promise<void> {
    while (this.pending.length > 0) {
      this.pending.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  publish(): void {
    this.tail.receive(
      Array.from({ length: this.stored - this.published }, (_, i) => event(this.published + 1 + i)),
    );
    this.published = this.stored;
  }

  /** Publishes only the newest events after a gap, as the socket does after missing too many. */
  publishAfterGap(): void {
    void this.tail.catchUp();
    this.published = Math.max(this.published, this.stored - 2);
    this.publish();
  }

  /** Catches up after the screen was closed or the socket was lost; missed events are not published. */
  reconnect(): void {
    this.published = this.stored;
    void this.tail.catchUp();
  }

  /** Restores a backup with only the older half of the events. */
  restore(): void {
    this.stored = Math.floor(this.stored / 2);
    this.reconnect();
  }

  /** Loads the whole list. @returns its sequences */
  async loadAll(): Promise<number[]> {
    while (this.tail.read().hasOlder) {
      void this.tail.loadOlder();
      await this.respond();
    }
    return this.tail.read().rows.map(({ seq }) => seq);
  }

  newestFirst(from = this.stored): EventSummary[] {
    const all = Array.from({ length: Math.max(0, from) }, (_, i) =>
      event(from - i, from - i <= this.delivered ? 'succeeded' : 'pending'),
    );
    return all.filter(matchesFilter(this.filter));
  }
}
