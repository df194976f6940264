import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DiskFaults } from './disk-faults';
import type { Group, GroupOutcome } from './group';
import type { Prefetch } from '../writer/prefetch';

/** The least time between checkpoints: each costs a sync of the database file. */
const CHECKPOINT_PAUSE_MS = 50;

/** See checkpoint.thread.ts. */
export type CheckpointRequest = true | Prefetch | null;
export type CheckpointResponse = { failed: string | null } | { read: number[] };

/** The two threads that write to the file: one commits groups, one copies the log into the database. */
export class SqliteThreads {
  private answer: ((outcome: GroupOutcome) => void) | null = null;
  private checkpointing = false;
  private timer: NodeJS.Timeout | null = null;
  private readonly reading: ((seqs: number[]) => void)[] = [];

  private constructor(
    private readonly writer: Worker,
    private readonly checkpoints: Worker,
    readonly instanceId: number,
    /** `PRAGMA synchronous` of the connection that writes, as SQLite reports it; 2 is FULL. */
    readonly synchronous: number,
    readonly faults: DiskFaults,
  ) {
    writer.on('message', (outcome: GroupOutcome) => {
      const answer = this.answer;
      this.answer = null;
      faults.note('commit', outcome.refused);
      answer?.(outcome);
      this.checkpointSoon();
    });
    checkpoints.on('message', (answer: CheckpointResponse) => {
      if ('read' in answer) {
        this.reading.shift()?.(answer.read);
        return;
      }
      this.checkpointing = false;
      faults.note('checkpoint', answer.failed);
    });
    // Without its threads the journal is not durable: crash, and let the next start recover.
    for (const thread of [writer, checkpoints]) {
      thread.on('error', (error) => {
        throw error;
      });
    }
  }

  static async start(file: string): Promise<SqliteThreads> {
    const writer = new Worker(join(__dirname, '../writer/writer.thread.js'), { workerData: { file } });
    const [{ instanceId, synchronous }] = (await once(writer, 'message')) as [
      { instanceId: number; synchronous: number },
    ];
    const checkpoints = new Worker(join(__dirname, '../writer/checkpoint.thread.js'), {
      workerData: { file },
    });
    await once(checkpoints, 'online');
    return new SqliteThreads(writer, checkpoints, instanceId, synchronous, new DiskFaults());
  }

  /** Only one group at a time. @param buffer the bytes of its events, transferred to the writer */
  commit(group: Group, buffer: ArrayBuffer): Promise<GroupOutcome> {
    return new Promise((resolve) => {
      this.answer = resolve;
      this.writer.postMessage(group, [buffer]);
    });
  }

  /** Answered in order. @returns the events that were read */
  prefetch(what: Prefetch): Promise<number[]> {
    return new Promise((resolve) => {
      this.reading.push(resolve);
      this.checkpoints.postMessage(what satisfies CheckpointRequest);
    });
  }

  /** The checkpoint thread ends first: the writer, as the last connection, empties the log. */
  async close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const thread of [this.checkpoints, this.writer]) {
      const ended = once(thread, 'exit');
      thread.postMessage(null);
      await ended;
    }
  }

  private checkpointSoon(): void {
    if (this.checkpointing || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.checkpointing = true;
      this.checkpoints.postMessage(true);
    }, CHECKPOINT_PAUSE_MS);
  }
}
