import type { ListenDelivery, ListenResult } from '../../../contract/listen';

/** Bodies in flight to one process, in bytes; a larger one is sent alone. */
const MAX_BYTES_IN_FLIGHT = 8 * 1024 * 1024;

/** The outcome of an attempt, as the process reports it. */
export interface ListenerAnswer {
  result: ListenResult;
  /** Tells the process that the outcome is stored. */
  confirm: () => void;
}

interface OpenAttempt {
  bytes: number;
  /** Null: the connection was lost before the outcome was known. */
  resolve: (answer: ListenerAnswer | null) => void;
}

/** The connection of the process that makes the attempts for a listener. */
export class ListenerLink {
  /** Whether it takes work. */
  isAccepting = false;
  private readonly open = new Map<string, OpenAttempt>();
  private bytes = 0;
  /** Attempts for whose bodies there is no room yet. */
  private waiting: (() => void)[] = [];
  private isClosed = false;

  /** @param capacity how many attempts it makes at a time */
  constructor(
    readonly capacity: number,
    private readonly post: (delivery: ListenDelivery) => void,
  ) {}

  /** @returns null if the outcome is unknown */
  async send(delivery: ListenDelivery): Promise<ListenerAnswer | null> {
    const bytes = delivery.body.byteLength;
    while (!this.isClosed && this.bytes > 0 && this.bytes + bytes > MAX_BYTES_IN_FLIGHT)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.isClosed) return null;
    this.bytes += bytes;
    return new Promise((resolve) => {
      this.open.set(keyOf(delivery), { bytes, resolve });
      this.post(delivery);
    });
  }

  /** The outcome of an attempt; if that is not open here, its process is asked again when it is. */
  settle(result: ListenResult, confirm: () => void): void {
    this.finish(keyOf(result), { result, confirm });
  }

  /** Gives up an attempt. */
  forget(delivery: Pick<ListenDelivery, 'delivery' | 'attempt'>): void {
    this.finish(keyOf(delivery), null);
  }

  /** The connection is lost. */
  close(): void {
    this.isClosed = true;
    this.isAccepting = false;
    for (const key of this.open.keys()) this.finish(key, null);
    this.releaseWaiting();
  }

  private finish(key: string, answer: ListenerAnswer | null): void {
    const attempt = this.open.get(key);
    if (attempt === undefined) return;
    this.open.delete(key);
    this.bytes -= attempt.bytes;
    attempt.resolve(answer);
    this.releaseWaiting();
  }

  private releaseWaiting(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }
}

const keyOf = ({ delivery, attempt }: Pick<ListenDelivery, 'delivery' | 'attempt'>) =>
  `${delivery} ${attempt}`;
