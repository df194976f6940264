import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

interface Waiting {
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

/** Another database that is read beside the first, under a name of its own. */
export interface Attached {
  file: string;
  name: string;
}

/** What the reading thread is asked. */
export type ReadRequest =
  { id: number; sql: string; parameters: unknown[] } | { id: number; attach: Attached };

/** What the reading thread answers. */
export type ReadAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

/**
 * Reads that may take longer than an answer can wait (searches, counts, filters): on a thread of their own. A thread that
 * dies takes its reads with it, and the next one takes its place.
 */
export class Reader {
  private readonly waiting = new Map<number, Waiting>();
  private readonly attached: Attached[] = [];
  private worker: Worker;
  private closing = false;
  private lastId = 0;

  constructor(private readonly file: string) {
    this.worker = this.start();
  }

  /** Takes a statement as TypeORM's query builders give it. */
  all<Row>([sql, parameters]: [sql: string, parameters: unknown[]]): Promise<Row[]> {
    return this.ask((id) => ({ id, sql, parameters })) as Promise<Row[]>;
  }

  /** Makes another database readable, by the thread that takes this one's place too. */
  async attach(file: string, name: string): Promise<void> {
    await this.ask((id) => ({ id, attach: { file, name } }));
    this.attached.push({ file, name });
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.worker.terminate();
  }

  private ask(request: (id: number) => ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.worker.postMessage(request(this.lastId));
    });
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'sqlite-reader.thread.js'), {
      workerData: { file: this.file, attached: this.attached },
    });
    let cause = new Error('The database was closed.');
    worker.on('message', (answer: ReadAnswer) => this.settle(answer));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      for (const { reject } of this.waiting.values()) reject(cause);
      this.waiting.clear();
      if (!this.closing) this.worker = this.start();
    });
    return worker;
  }

  private settle(answer: ReadAnswer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.rows);
  }
}
