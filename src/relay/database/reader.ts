import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '../ground/relay-error';
import { endThread } from './end-thread';

/** Another database that is read beside the first, under a name of its own. */
export interface Attached {
  file: string;
  name: string;
}

/** What the reading thread is asked. */
export type ReadRequest = { sql: string; parameters: unknown[] } | { attach: Attached };

/** What the reading thread answers. */
export type ReadResponse = { rows: unknown[] } | { error: string };

/** Of a request: aborted once nobody waits for its answer. Whoever made it has a place in the round of those who read. */
export type RequestSignal = AbortSignal & { readonly caller: string };

interface Read {
  request: ReadRequest;
  signal: RequestSignal | undefined;
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

/** A thread that could not even open the database is followed by another one after this, and twice as long each time. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** Whose reads are no request's: Switchboard's own. */
const OWN = '';

/**
 * Reads that may take longer than an answer can wait (searches, counts, filters): on a thread of their own, one after the
 * other. Callers take turns, so that many reads of one delay another's by one at a time. A thread that dies takes the read at hand with it, and the next one takes its place.
 */
export class Reader {
  /** By caller, in the order of their turns; none is empty. */
  private readonly queues = new Map<string, Read[]>();
  private current: Read | null = null;
  private readonly attached: Attached[] = [];
  /** Null until the first read, and between two threads. */
  private worker: Worker | null = null;
  private failures = 0;
  private pause: NodeJS.Timeout | null = null;
  private closing = false;

  constructor(private readonly file: string) {}

  /**
   * Takes a statement as TypeORM's query builders give it.
   * @param signal aborted before its turn comes, nothing is read
   */
  all<Row>([sql, parameters]: [sql: string, parameters: unknown[]], signal?: RequestSignal): Promise<Row[]> {
    return this.ask({ sql, parameters }, signal) as Promise<Row[]>;
  }

  /** Makes another database readable, by the thread that takes this one's place too. */
  async attach(file: string, name: string): Promise<void> {
    await this.ask({ attach: { file, name } });
    this.attached.push({ file, name });
  }

  /** The read at hand is brought to its end; what waits behind it is refused. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.pause !== null) clearTimeout(this.pause);
    this.refuseAll(closed());
    if (this.worker !== null) await endThread(this.worker);
  }

  private ask(request: ReadRequest, signal?: RequestSignal): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.closing) {
        reject(closed());
        return;
      }
      const caller = signal?.caller ?? OWN;
      const read = { request, signal, resolve, reject };
      const queue = this.queues.get(caller);
      if (queue === undefined) this.queues.set(caller, [read]);
      else queue.push(read);
      if (this.current === null) this.next();
    });
  }

  private next(): void {
    this.current = null;
    if (this.pause !== null) return;
    for (let read = this.take(); read !== undefined; read = this.take()) {
      if (read.signal?.aborted) {
        read.reject(abandoned());
        continue;
      }
      this.current = read;
      this.worker ??= this.start();
      this.worker.postMessage(read.request);
      return;
    }
  }

  /** The oldest read of the caller whose turn it is, who then comes last. */
  private take(): Read | undefined {
    for (const [caller, queue] of this.queues) {
      const read = queue.shift();
      this.queues.delete(caller);
      if (queue.length > 0) this.queues.set(caller, queue);
      return read;
    }
    return undefined;
  }

  private refuseAll(error: Error): void {
    const waiting = [...this.queues.values()].flat();
    this.queues.clear();
    for (const { reject } of waiting) reject(error);
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'reader.thread.js'), {
      workerData: { file: this.file, attached: this.attached },
    });
    let cause = closed();
    worker.on('message', (answer: ReadResponse) => {
      this.failures = 0;
      if ('error' in answer) this.current?.reject(new Error(answer.error));
      else this.current?.resolve(answer.rows);
      this.next();
    });
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      this.worker = null;
      this.current?.reject(cause);
      this.current = null;
      if (!this.closing) this.replace(cause);
    });
    return worker;
  }

  /** Reads wait for the new thread, unless the one before it did not come so far as to answer either. */
  private replace(cause: Error): void {
    if (this.failures > 0) this.refuseAll(cause);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures += 1;
    this.pause = setTimeout(() => {
      this.pause = null;
      this.next();
    }, pauseMs);
  }
}

const closed = () => new Error('The database was closed.');

const abandoned = () =>
  new RelayError('request_abandoned', 499, 'The client went away before it was answered.');
