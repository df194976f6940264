import { RelayError } from '../ground/relay-error';

const RETRY_AFTER_SECONDS = 1;

interface ConcurrencyBounds {
  /** Concurrent requests of one caller. */
  maxRunning: number;
  /** Further requests of that caller, each queued for at most `maxWaitMs`. This also slows down immediate retries. */
  maxQueued: number;
  maxWaitMs: number;
  /** Concurrent requests of all callers. */
  maxInAll?: number;
}

interface CallerQueue {
  running: number;
  /** Each is called when it is given a slot. */
  queued: Set<() => void>;
}

/** Limits the concurrent requests of each caller, so that a busy caller delays only itself. */
export class ConcurrencyLimit {
  private readonly queues = new Map<string, CallerQueue>();

  private runningInAll = 0;

  constructor(private readonly bounds: ConcurrencyBounds) {}

  /**
   * Resolves once a slot is free.
   * @param signal aborted when the client has disconnected
   * @returns releases the slot; call it once
   * @throws RelayError `too_many_reads`, 429; `request_abandoned`, 499
   */
  async take(caller: string, signal: AbortSignal): Promise<() => void> {
    const { maxRunning, maxInAll = Infinity } = this.bounds;
    if (this.runningInAll >= maxInAll)
      throw tooMany(`Too many concurrent requests: at most ${maxInAll} of this kind run.`);
    const queue = this.queues.get(caller) ?? { running: 0, queued: new Set() };
    this.queues.set(caller, queue);
    if (queue.running < maxRunning) {
      queue.running += 1;
      this.runningInAll += 1;
    } else if (queue.queued.size < this.bounds.maxQueued) await this.waitForSlot(queue, signal);
    else throw this.tooMany();
    return () => this.release(caller, queue);
  }

  private waitForSlot(queue: CallerQueue, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        queue.queued.delete(enter);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const abandon = () => {
        leave();
        reject(
          new RelayError('request_abandoned', 499, 'The client disconnected before the response was sent.'),
        );
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.tooMany());
      }, this.bounds.maxWaitMs);
      signal.addEventListener('abort', abandon);
      queue.queued.add(enter);
    });
  }

  /** Passes the slot on to the oldest queued request. */
  private release(caller: string, queue: CallerQueue): void {
    const [next] = queue.queued;
    if (next !== undefined) return next();
    queue.running -= 1;
    this.runningInAll -= 1;
    if (queue.running === 0) this.queues.delete(caller);
  }

  private tooMany(): RelayError {
    const { maxRunning, maxQueued } = this.bounds;
    const queued = maxQueued === 0 ? '' : ` and ${maxQueued} are queued`;
    return tooMany(`Too many concurrent requests with this credential: at most ${maxRunning} run${queued}.`);
  }
}

const tooMany = (detail: string) =>
  new RelayError('too_many_reads', 429, detail, {
    remedy: 'Wait for responses before sending more requests.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
