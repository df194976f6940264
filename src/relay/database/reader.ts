import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endThread } from './end-thread';

/** Another database that is read beside the first, under a name of its own. */
export interface Attached {
  file: string;
  name: string;
}

/** What the reading thread is asked. */
export type ReadRequest = { sql: string; parameters: unknown[] } | { attach: Attached };

/** What the reading thread answers. */
export type ReadAnswer = { rows: unknown[] } | { error: string };

interface Read {
  request: ReadRequest;
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

/**
 * Reads that may take longer than an answer can wait (searches, counts, filters): on a thread of their own, one after the
 * other. A thread that dies takes the read at hand with it, and the next one takes its place.
 */
export class Reader {
  private readonly queue: Read[] = [];
  private current: Read | null = null;
  private readonly attached: Attached[] = [];
  private worker: Worker;
  private closing = false;

  constructor(private readonly file: string) {
    this.worker = this.start();
  }

  /** Takes a statement as TypeORM's query builders give it. */
  all<Row>([sql, parameters]: [sql: string, parameters: unknown[]]): Promise<Row[]> {
    return this.ask({ sql, parameters }) as Promise<Row[]>;
  }

  /** Makes another database readable, by the thread that takes this one's place too. */
  async attach(file: string, name: string): Promise<void> {
    await this.ask({ attach: { file, name } });
    this.attached.push({ file, name });
  }

  /** The read at hand is brought to its end; what waits behind it is refused. */
  async close(): Promise<void> {
    this.closing = true;
    for (const { reject } of this.queue.splice(0)) reject(closed());
    await endThread(this.worker);
  }

  private ask(request: ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.closing) {
        reject(closed());
        return;
      }
      this.queue.push({ request, resolve, reject });
      if (this.current === null) this.next();
    });
  }

  private next(): void {
    this.current = this.queue.shift() ?? null;
    if (this.current !== null) this.worker.postMessage(this.current.request);
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'sqlite-reader.thread.js'), {
      workerData: { file: this.file, attached: this.attached },
    });
    let cause = closed();
    worker.on('message', (answer: ReadAnswer) => {
      if ('error' in answer) this.current?.reject(new Error(answer.error));
      else this.current?.resolve(answer.rows);
      this.next();
    });
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      this.current?.reject(cause);
      this.current = null;
      if (this.closing) return;
      this.worker = this.start();
      this.next();
    });
    return worker;
  }
}

const closed = () => new Error('The database was closed.');
