import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '../ground/relay-error';
import { endThread } from './end-thread';

/** Another database that is attached under a schema name of its own. */
export interface Attached {
  file: string;
  name: string;
}

/** A request to the reading thread. */
export type ReadRequest = { sql: string; parameters: unknown[] } | { attach: Attached };

/** A response of the reading thread. */
export type ReadResponse = { rows: unknown[] } | { error: string };

/** Aborted once nobody waits for the response. Reads of different callers take turns. */
export type RequestSignal = AbortSignal & { readonly caller: string };

interface Read {
  request: ReadRequest;
  signal: RequestSignal | undefined;
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

/** The pause before a thread that could not open the database is replaced; it doubles each time. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** The caller of reads that belong to no request. */
const INTERNAL = '';

/**
 * Runs reads that may be slow (searches, counts, filters) on a thread of their own, one after the other. Callers take turns, so
 * that many reads of one delay another's by one at a time. A thread that dies fails its current read and is replaced.
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

  /** Finishes the current read, and rejects the queued ones. */
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
      const caller = signal?.caller ?? INTERNAL;
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

  /** Takes the oldest read of the next caller, who then goes to the end of the round. */
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

  /** Queued reads wait for the new thread, unless the previous thread never answered either. */
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
