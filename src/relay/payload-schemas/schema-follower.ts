import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { endThread } from '../database/reading/end-thread';
import type { Reader } from '../database/reading/reader';
import { PollLoop } from '../ground/poll-loop';
import { SerialQueue } from '../ground/serial-queue';
import type {
  RowsRequest,
  RowsResponse,
  SchemasThreadData,
  StepRequest,
  StepResponse,
} from './schemas.thread';

/** The thread may use 2 % of a core. */
const PAUSE_FACTOR = 49;

/** Beyond them the thread fails: 64 types at their limits take about half. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 };

const REPORT_EVERY_MS = 5_000;
/** Then the thread ends, which returns its memory. */
const IDLE_MS = 15_000;
/** Rarely, so that few threads are started, and each examines many events. */
const FOLLOW_EVERY_MS = 10_000;
const RESTART_AFTER_MS = 60_000;
const MOST_FAILURES = 3;

/** Follows the stored events, and has a thread examine their payloads. */
export class SchemaFollower extends PollLoop {
  private worker: Worker | null = null;
  /** Steps, and the end of the thread, which must not run during one. */
  private readonly steps = new SerialQueue();
  private readonly stopping = new AbortController();
  /** The last event that the thread was given. */
  private position: number;
  private reportedAt = 0;
  private failures = 0;
  private failedAt = 0;
  private idle: NodeJS.Timeout | undefined;

  /**
   * @param databaseFile of SQLite, which the thread reads; null: it reads through `reader`
   * @param hasNew whether there is an event to examine after this one
   * @param schemas by type, as `writeSchema` returns them: those of the events up to `through`
   * @param onReport called when they have changed
   */
  constructor(
    private readonly databaseFile: string | null,
    private readonly reader: Reader,
    private readonly hasNew: (after: number) => Promise<boolean>,
    readonly schemas: Map<string, string>,
    public through: number,
    private readonly onReport: (types: readonly string[]) => void,
    onFailed: (error: unknown, isLast: boolean) => void,
  ) {
    super((error) => {
      this.failures += 1;
      this.failedAt = performance.now();
      onFailed(error, this.failures > MOST_FAILURES);
      void this.startOver();
    }, FOLLOW_EVERY_MS);
    this.position = through;
  }

  /** Lets `work` change the schemas, as they are up to `through`; what was examined after that is examined again. */
  change(work: () => Promise<void>): Promise<void> {
    return this.steps.run(async () => {
      await this.dropUnreported();
      await work();
    });
  }

  /** What was examined after `through` is examined again. */
  startOver(): Promise<void> {
    return this.steps.run(() => this.dropUnreported());
  }

  private async dropUnreported(): Promise<void> {
    await this.endThread();
    this.position = this.through;
  }

  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
    await this.steps.run(() => this.endThread());
  }

  protected async read(): Promise<void> {
    if (this.rests || !(await this.hasNew(this.position))) return;
    clearTimeout(this.idle);
    for (;;) {
      const tookMs = await this.steps.run(() => this.examineNext());
      this.failures = 0;
      if (tookMs === null || this.isStopped) break;
      await wait(tookMs * PAUSE_FACTOR, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    this.idle = setTimeout(() => void this.steps.run(() => this.endThread()), IDLE_MS).unref();
  }

  /** After a failure for a minute, after several for ever. */
  private get rests(): boolean {
    return (
      this.failures > MOST_FAILURES ||
      (this.failures > 0 && performance.now() - this.failedAt < RESTART_AFTER_MS)
    );
  }

  /** @returns the CPU time that it took, in ms; null at the end */
  private async examineNext(): Promise<number | null> {
    if (this.isStopped) return null;
    const report = performance.now() - this.reportedAt >= REPORT_EVERY_MS;
    const { through, isLast, tookMs, changed } = await this.ask({ after: this.position, report });
    this.position = through;
    if (changed !== null) this.takeReport(changed);
    return isLast ? null : tookMs;
  }

  private takeReport(changed: readonly [type: string, schema: string][]): void {
    this.reportedAt = performance.now();
    this.through = this.position;
    for (const [type, schema] of changed) this.schemas.set(type, schema);
    this.onReport(changed.map(([type]) => type));
  }

  private async ask(request: StepRequest): Promise<StepResponse> {
    const worker = (this.worker ??= this.startThread());
    worker.postMessage(request);
    for (;;) {
      const [message] = (await once(worker, 'message')) as [RowsRequest | StepResponse];
      if (!Array.isArray(message)) return message;
      worker.postMessage((await this.reader.all(message)) satisfies RowsResponse);
    }
  }

  private startThread(): Worker {
    const { databaseFile, schemas } = this;
    const worker = new Worker(join(__dirname, 'schemas.thread.js'), {
      workerData: { databaseFile, schemas: [...schemas] } satisfies SchemasThreadData,
      resourceLimits: MEMORY_LIMITS,
    });
    return worker.on('error', () => (this.worker = null));
  }

  private async endThread(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    if (worker !== null) await endThread(worker);
  }
}
