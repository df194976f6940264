import type { Clock } from '../../ground/clock';
import type { WorkOf } from './work';

/** What is not committed this long after its arrival gets a 503: Co-Pilot times out after 5 s and retries. */
const COMMIT_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 250;

/** The limit of the queue; beyond it notifications are refused, and Co-Pilot retries them. */
const QUEUE_LIMIT_BYTES = 64 * 1024 * 1024;
const GROUP_LIMIT_EVENTS = 500;
const GROUP_LIMIT_BYTES = 8 * 1024 * 1024;

type Append = WorkOf<'append'>;

/**
 * Events queued for the next group, bounded in bytes and in time. Once an event is part of a group, only the writer decides
 * its outcome, however long that takes: it must not be refused when it may have been stored.
 */
export class AppendQueue {
  private waiting: Append[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly clock: Clock) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** False when the queue is full; then nothing was queued. */
  push(append: Append): boolean {
    const size = append.input.draft.body.byteLength;
    if (this.bytes + size > QUEUE_LIMIT_BYTES) return false;
    this.waiting.push(append);
    this.bytes += size;
    this.watchLateness();
    return true;
  }

  /** The next group, in the order of arrival. */
  take(): Append[] {
    this.refuseLate();
    let bytes = 0;
    let count = 0;
    for (const { input } of this.waiting) {
      bytes += input.draft.body.byteLength;
      if (count === GROUP_LIMIT_EVENTS || (count > 0 && bytes > GROUP_LIMIT_BYTES)) break;
      count += 1;
    }
    const taken = this.waiting.splice(0, count);
    for (const { input } of taken) this.bytes -= input.draft.body.byteLength;
    return taken;
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** While a group hangs on a slow disk, nothing is taken from the queue: late events are still refused in time. */
  private watchLateness(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.refuseLate();
      if (!this.isEmpty) this.watchLateness();
    }, LOOK_EVERY_MS);
  }

  private refuseLate(): void {
    const limit = this.clock.monotonic() - COMMIT_WITHIN_MS;
    const isLate = ({ input }: Append) => input.waitsSince <= limit;
    if (!this.waiting.some(isLate)) return;
    const late = this.waiting.filter(isLate);
    this.waiting = this.waiting.filter((append) => !isLate(append));
    for (const { input } of late) {
      this.bytes -= input.draft.body.byteLength;
      input.refuse('late');
    }
  }
}
