import type { Clock } from '../../ground/clock';
import type { CommitLimits } from './group-store';
import type { WorkOf } from './work';

/** An event that is not committed this long after its arrival is answered with 503: Co-Pilot times out after 5 s. */
const COMMIT_WITHIN_MS = 4_000;
const CHECK_EVERY_MS = 250;

/** Beyond this, notifications are answered with 503, and Co-Pilot retries them. */
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;
const MAX_GROUP_EVENTS = 500;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

type Append = WorkOf<'append'>;

/**
 * Events queued for the next group, limited in bytes and in time. Once an event is part of a group, only the writer
 * decides its outcome: an event that may be stored must not be answered with 503.
 */
export class AppendQueue {
  private queued: Append[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly clock: Clock) {}

  get isEmpty(): boolean {
    return this.queued.length === 0;
  }

  /** @returns false if the queue is full and the event was not queued */
  push(append: Append): boolean {
    const size = append.input.draft.body.byteLength;
    if (this.bytes + size > MAX_QUEUE_BYTES) return false;
    this.queued.push(append);
    this.bytes += size;
    this.checkLater();
    return true;
  }

  /** The next group, in the order of arrival. */
  take(): Append[] {
    this.dropLate();
    let bytes = 0;
    let count = 0;
    for (const { input } of this.queued) {
      bytes += input.draft.body.byteLength;
      if (count === MAX_GROUP_EVENTS || (count > 0 && bytes > MAX_GROUP_BYTES)) break;
      count += 1;
    }
    const taken = this.queued.splice(0, count);
    for (const { input } of taken) this.bytes -= input.draft.body.byteLength;
    return taken;
  }

  /** How long the commit of a group may take that has these events: its outcome matters until all of them are late. */
  limitsOf(events: readonly Append[]): CommitLimits {
    const remaining = events.map(({ input }) => input.arrivedAt + COMMIT_WITHIN_MS - this.clock.monotonic());
    return { commitMs: Math.min(...remaining), doubtMs: Math.max(...remaining) };
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** While a slow disk delays a group, nothing is taken from the queue, but late events must be answered in time. */
  private checkLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.dropLate();
      if (!this.isEmpty) this.checkLater();
    }, CHECK_EVERY_MS);
  }

  private dropLate(): void {
    const limit = this.clock.monotonic() - COMMIT_WITHIN_MS;
    const isLate = ({ input }: Append) => input.arrivedAt <= limit;
    if (!this.queued.some(isLate)) return;
    const late = this.queued.filter(isLate);
    this.queued = this.queued.filter((append) => !isLate(append));
    for (const { input } of late) {
      this.bytes -= input.draft.body.byteLength;
      input.onNotStored('late');
    }
  }
}
