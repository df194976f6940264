import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';

/** What one message holds; what is beyond is a gap, and the client fetches it. */
export const EVENTS_PER_MESSAGE = 500;

/** What the followers are told at a moment: all that was committed after `after`, the gap before the events. */
export interface Batch {
  after: number;
  gap: LiveGap | null;
  events: EventSummary[];
}

/** Gathers what is committed until the followers are told of it: of very much, the newest. */
export class EventBuffer {
  private events: EventSummary[] = [];
  private hasOverflowed = false;
  private newest = 0;
  private publishedThrough = 0;

  /** The newest event that was committed; 0 before the first. */
  get newestSeq(): number {
    return this.newest;
  }

  /** Notes that there is an event that nobody has to be told of. */
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
