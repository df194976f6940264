import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { InstanceId } from '../../ground/ids';
import { parseInstanceId, type InstanceRecord } from '../journal/instance-record';
import { restartDelayMs } from '../../ground/restart-delay';
import { threadTime } from '../../ground/thread-time';
import { isWritable } from '../journal/disk-full';
import { DiskFailures } from '../journal/disk-failures';
import { endThread } from '../reading/end-thread';
import type { Group, GroupOutcome } from '../journal/group';
import type { CommitLimits, GroupWriter } from '../journal/group-store';
import { cleanFile } from './cleaning/clean-file';
import { OnDemandThread } from './on-demand-thread';
import type { Prefetch } from './writer/prefetch';

/** The minimum time between checkpoints: each costs a sync of the database file. */
const CHECKPOINT_PAUSE_MS = 50;
/** The time from a commit to its checkpoint while few bytes have been committed. */
const QUIET_CHECKPOINT_PAUSE_MS = 1_000;
const FEW_BYTES = 1024 * 1024;
/** What a group adds to the log besides the bytes of its events: about four pages. */
const GROUP_BYTES = 16 * 1024;

/** See writer.thread.ts: when the commit has to begin, as `threadTime`; null ends the thread. */
export type CommitRequest = { group: Group; beginBefore: number } | null;

/** See checkpoint.thread.ts. */
export type CheckpointRequest = true | Prefetch | null;
export type CheckpointResponse = { failed: string | null } | { read: number[] };

/** The two threads that write to the file: one commits groups, one copies the log into the database. */
export class SqliteThreads implements GroupWriter {
  readonly targetsVersion = null;
  readonly commitsEventsAlone = false;
  private resolveCommit: ((outcome: GroupOutcome) => void) | null = null;
  private checkpointing = false;
  /** Bytes committed since the last checkpoint began, approximately. */
  private uncopiedBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  /** Of the timer. */
  private pauseMs = 0;
  private readonly prefetches: ((seqs: number[]) => void)[] = [];
  private readonly checkpoints = new OnDemandThread(
    () => this.startCheckpoints(),
    () => this.checkpointing || this.prefetches.length > 0,
  );
  private failedStarts = 0;
  /** After a start of the thread failed, by `performance.now()`. */
  private checkpointsStartAt = 0;

  private constructor(
    private readonly file: string,
    private readonly writer: Worker,
    readonly instanceId: InstanceId,
    /** `PRAGMA synchronous` of the connection that writes, as SQLite reports it; 2 is FULL. */
    readonly synchronous: number,
    readonly failures: DiskFailures,
  ) {
    writer.on('message', (outcome: GroupOutcome) => {
      const resolve = this.resolveCommit;
      this.resolveCommit = null;
      failures.update('commit', outcome.error);
      resolve?.(outcome);
      this.checkpointSoon();
    });
    writer.on('error', crash);
  }

  static async start(file: string): Promise<SqliteThreads> {
    const writer = new Worker(join(__dirname, 'writer/writer.thread.js'), { workerData: { file } });
    const [{ instance, synchronous }] = (await once(writer, 'message')) as [
      { instance: InstanceRecord; synchronous: number },
    ];
    const failures = new DiskFailures(() => isWritable(dirname(file)));
    return new SqliteThreads(file, writer, parseInstanceId(instance), synchronous, failures);
  }

  /** Only one group at a time. @param buffer the bytes of its events, transferred to the writer */
  commit(group: Group, buffer: ArrayBuffer, { commitMs }: CommitLimits): Promise<GroupOutcome> {
    this.uncopiedBytes += GROUP_BYTES + buffer.byteLength;
    return new Promise((resolve) => {
      this.resolveCommit = resolve;
      this.writer.postMessage({ group, beginBefore: threadTime() + commitMs } satisfies CommitRequest, [
        buffer,
      ]);
    });
  }

  clean(signal: AbortSignal): Promise<void> {
    return cleanFile(this.file, signal);
  }

  /** Requests are handled in order. @returns the events that were read */
  prefetch(what: Prefetch): Promise<number[]> {
    return new Promise((resolve) => {
      this.prefetches.push(resolve);
      this.requestCheckpoint(what);
    });
  }

  /** The checkpoint thread ends first: the writer, as the last connection, empties the log. */
  async close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    await this.checkpoints.close();
    await endThread(this.writer);
  }

  private checkpointSoon(): void {
    if (this.checkpointing) return;
    const canWait = this.uncopiedBytes < FEW_BYTES && !this.failures.isFailing('checkpoint');
    const pauseMs = canWait ? QUIET_CHECKPOINT_PAUSE_MS : CHECKPOINT_PAUSE_MS;
    if (this.timer !== null && pauseMs === this.pauseMs) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.pauseMs = pauseMs;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.checkpointing = true;
      this.uncopiedBytes = 0;
      this.requestCheckpoint(true);
    }, pauseMs);
  }

  /** The first request starts the thread, which would otherwise delay the start of the daemon. */
  private requestCheckpoint(request: CheckpointRequest): void {
    if (!this.checkpoints.isRunning && performance.now() < this.checkpointsStartAt)
      return this.skipRequests();
    this.checkpoints.post(request);
  }

  private startCheckpoints(): Worker {
    const thread = new Worker(join(__dirname, 'writer/checkpoint.thread.js'), {
      workerData: { file: this.file },
    });
    let hasStarted = false;
    thread.on('message', (response: CheckpointResponse) => {
      hasStarted = true;
      this.failedStarts = 0;
      if ('read' in response) {
        this.prefetches.shift()?.(response.read);
        return;
      }
      this.checkpointing = false;
      this.failures.update('checkpoint', response.failed);
    });
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (hasStarted) crash(error);
      this.checkpoints.failed(thread);
      this.checkpointsStartAt = performance.now() + restartDelayMs(this.failedStarts);
      this.failedStarts += 1;
      const [code = error.code ?? 'ERR_WORKER_INIT_FAILED'] = /E[MN]FILE/.exec(error.message) ?? [];
      this.failures.update('checkpoint', code);
      this.skipRequests();
    });
    return thread;
  }

  /** Safe: the next commit asks for another checkpoint, and events that were not read ahead are read on demand. */
  private skipRequests(): void {
    this.checkpointing = false;
    for (const resolve of this.prefetches.splice(0)) resolve([]);
  }
}

/** Without its threads the journal is not durable: crash, and let the next start recover. */
function crash(error: unknown): never {
  throw error;
}
