import { RelayError } from '../ground/relay-error';

const RETRY_AFTER_SECONDS = 1;

interface ConcurrencyBounds {
  /** Requests of one caller that run at the same time. */
  atOnce: number;
  /** Further requests that wait, each for at most `waitMs`, which also slows down a caller that retries at once. */
  waiting: number;
  waitMs: number;
}

interface CallerQueue {
  taken: number;
  /** Each is called when it gets a slot. */
  waiting: Set<() => void>;
}

/** Limits the concurrent requests of each caller, so that a busy caller delays only itself. */
export class ConcurrencyLimit {
  private readonly queues = new Map<string, CallerQueue>();

  constructor(private readonly bounds: ConcurrencyBounds) {}

  /**
   * Resolves once a slot is free.
   * @param signal aborted when the client has disconnected
   * @returns releases the slot; call it once
   * @throws RelayError `too_many_reads`, 429; `request_abandoned`, 499
   */
  async take(caller: string, signal: AbortSignal): Promise<() => void> {
    const queue = this.queues.get(caller) ?? { taken: 0, waiting: new Set() };
    this.queues.set(caller, queue);
    if (queue.taken < this.bounds.atOnce) queue.taken += 1;
    else if (queue.waiting.size < this.bounds.waiting) await this.wait(queue, signal);
    else throw this.tooMany();
    return () => this.release(caller, queue);
  }

  private wait(queue: CallerQueue, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        queue.waiting.delete(enter);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const abandon = () => {
        leave();
        reject(new RelayError('request_abandoned', 499, 'The client went away before it was answered.'));
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.tooMany());
      }, this.bounds.waitMs);
      signal.addEventListener('abort', abandon);
      queue.waiting.add(enter);
    });
  }

  /** The request that has waited longest takes over the slot. */
  private release(caller: string, queue: CallerQueue): void {
    const [next] = queue.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    queue.taken -= 1;
    if (queue.taken === 0) this.queues.delete(caller);
  }

  private tooMany(): RelayError {
    const { atOnce, waiting } = this.bounds;
    return new RelayError(
      'too_many_reads',
      429,
      `This credential asks for more at once than is read for one: ${atOnce} at a time, and ${waiting} that wait.`,
      {
        remedy: 'Wait for the answers to come before asking for more.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
}
