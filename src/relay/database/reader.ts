import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

interface Waiting {
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

/** What the reading thread answers. */
export type ReadAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

/** Reads that may take longer than an answer can wait (searches, counts, filters): on a thread of their own. */
export class Reader {
  private readonly waiting = new Map<number, Waiting>();
  private readonly worker: Worker;
  private lastId = 0;

  constructor(file: string) {
    this.worker = new Worker(join(__dirname, 'sqlite-reader.thread.js'), { workerData: { file } });
    this.worker.on('message', (answer: ReadAnswer) => {
      const waiting = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer.rows);
    });
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('The database was closed.')));
  }

  /** Takes a statement as TypeORM's query builders give it. */
  all<Row>([sql, parameters]: [sql: string, parameters: unknown[]]): Promise<Row[]> {
    return new Promise<unknown[]>((resolve, reject) => {
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.worker.postMessage({ id: this.lastId, sql, parameters });
    }) as Promise<Row[]>;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
