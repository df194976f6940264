import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';

/** The most events in one message; anything beyond is reported as a gap, which the client fetches. */
export const EVENTS_PER_MESSAGE = 500;

/** What is published to the subscribers at once: everything committed after `after`; the gap precedes the events. */
export interface Batch {
  after: number;
  gap: LiveGap | null;
  events: EventSummary[];
}

/** Buffers committed events until they are published; on overflow only the newest are kept. */
export class EventBuffer {
  private events: EventSummary[] = [];
  private hasOverflowed = false;
  private newest = 0;
  private publishedThrough = 0;

  /** The `seq` of the newest committed event; 0 before the first. */
  get newestSeq(): number {
    return this.newest;
  }

  /** Records an event that need not be published. */
  skip(seq: number): void {
    this.newest = seq;
  }

  add(event: EventSummary): void {
    this.skip(event.seq);
    this.events.push(event);
    if (this.events.length <= 2 * EVENTS_PER_MESSAGE) return;
    this.events = this.events.slice(-EVENTS_PER_MESSAGE);
    this.hasOverflowed = true;
  }

  take(): Batch {
    const { publishedThrough: after, newest } = this;
    const events = this.events.slice(-EVENTS_PER_MESSAGE);
    const isWhole = !this.hasOverflowed && events.length === this.events.length;
    this.events = [];
    this.hasOverflowed = false;
    this.publishedThrough = newest;
    return { after, gap: isWhole ? null : gapBetween(after, events[0]!.seq - 1), events };
  }
}

export function gapBetween(afterSeq: number, lastSeq: number): LiveGap {
  return { after_seq: afterSeq, last_seq: lastSeq, fetch: '/api/v1/events' };
}
