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
  delivery: ListenDelivery;
  isPosted: boolean;
  /** Null: the connection was lost before the outcome was known. */
  resolve: (answer: ListenerAnswer | null) => void;
}

type AttemptId = Pick<ListenDelivery, 'delivery' | 'attempt'>;

/** The connection of the process that makes the attempts for a listener. */
export class ListenerLink {
  /** Whether it takes work. */
  isAccepting = false;
  /** In the order in which they are posted. */
  private readonly open = new Map<string, OpenAttempt>();
  /** Of the bodies in flight. */
  private bytes = 0;
  private isClosed = false;

  /** @param capacity how many attempts it makes at a time */
  constructor(
    readonly capacity: number,
    private readonly post: (delivery: ListenDelivery) => void,
  ) {}

  /** @returns null if the outcome is unknown */
  send(delivery: ListenDelivery): Promise<ListenerAnswer | null> {
    if (this.isClosed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.open.set(keyOf(delivery), { delivery, isPosted: false, resolve });
      this.postNext();
    });
  }

  /** The outcome of an attempt; if that is not open here, its process is asked again when it is. */
  settle(result: ListenResult, confirm: () => void): void {
    this.finish(result, { result, confirm });
  }

  /** Gives up an attempt. */
  forget(attempt: AttemptId): void {
    this.finish(attempt, null);
  }

  /** The connection is lost. */
  close(): void {
    this.isClosed = true;
    this.isAccepting = false;
    for (const { resolve } of this.open.values()) resolve(null);
    this.open.clear();
  }

  private finish(id: AttemptId, answer: ListenerAnswer | null): void {
    const attempt = this.open.get(keyOf(id));
    if (attempt === undefined) return;
    this.open.delete(keyOf(id));
    if (attempt.isPosted) this.bytes -= attempt.delivery.body.byteLength;
    attempt.resolve(answer);
    this.postNext();
  }

  /** Posts those for whose bodies there is room. */
  private postNext(): void {
    for (const attempt of this.open.values()) {
      if (attempt.isPosted) continue;
      const { byteLength } = attempt.delivery.body;
      if (this.bytes > 0 && this.bytes + byteLength > MAX_BYTES_IN_FLIGHT) return;
      this.bytes += byteLength;
      attempt.isPosted = true;
      this.post(attempt.delivery);
    }
  }
}

const keyOf = ({ delivery, attempt }: AttemptId) => `${delivery} ${attempt}`;
