import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';

/** The most events in one message; anything beyond is reported as a gap, which the client fetches. */
export const EVENTS_PER_MESSAGE = 500;

/** What was committed since the previous batch: at most one `gap` message, then one `events` message. */
export interface Batch {
  /** The `seq` through which the previous batch went. */
  afterSeq: number;
  /** The `seq` through which this one goes. */
  throughSeq: number;
  gap: LiveGap | null;
  events: EventSummary[];
}

/** Buffers committed events until they are published; on overflow it holds only the newest. */
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
  advanceTo(seq: number): void {
    this.newest = seq;
  }

  add(event: EventSummary): void {
    this.advanceTo(event.seq);
    this.events.push(event);
    if (this.events.length <= 2 * EVENTS_PER_MESSAGE) return;
    this.events = this.events.slice(-EVENTS_PER_MESSAGE);
    this.hasOverflowed = true;
  }

  /** A delivery has followed an event. */
  addDelivery(seq: number): void {
    const event = this.events.findLast((one) => one.seq === seq);
    if (event !== undefined) Object.assign(event, withPending(event, 1));
  }

  take(): Batch {
    const { publishedThrough: after, newest } = this;
    const events = this.events.slice(-EVENTS_PER_MESSAGE);
    const isComplete = !this.hasOverflowed && events.length === this.events.length;
    this.events = [];
    this.hasOverflowed = false;
    this.publishedThrough = newest;
    const gap = isComplete ? null : gapBetween(after, events[0]!.seq - 1);
    return { afterSeq: after, throughSeq: newest, gap, events };
  }
}

/** An event with so many more targets to which it is not delivered yet. */
export const withPending = (event: EventSummary, count: number): EventSummary => ({
  ...event,
  status: 'pending',
  targets: { ...event.targets, pending: (event.targets.pending ?? 0) + count },
});

export function gapBetween(afterSeq: number, lastSeq: number): LiveGap {
  return { after_seq: afterSeq, last_seq: lastSeq, fetch: '/api/v1/events' };
}
