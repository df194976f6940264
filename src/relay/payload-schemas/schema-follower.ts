import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { inJsonList } from '../database/reading/dialect';
import { endThread } from '../database/reading/end-thread';
import type { Reader } from '../database/reading/reader';
import { PollLoop } from '../ground/poll-loop';
import { SerialQueue } from '../ground/serial-queue';
import type { ExamineRequest, ExamineResponse } from './schemas.thread';

/** What one step examines at most. */
const STEP = { heads: 1_000, bodies: 200, bytes: 512 * 1024 };
const MAX_BODY_BYTES = 256 * 1024;

/** This far behind, evenly spread events are examined, so that it stays about this far behind. */
const MOST_BEHIND = 20_000;

/** The thread may work for 2 % of the time; if the processor is busy, it does not wait for what it was kept from. */
const PAUSE_FACTOR = 49;
const MAX_PAUSE_MS = 1_000;

const REPORT_EVERY_MS = 5_000;
/** Then the thread ends, which returns its memory. */
const IDLE_MS = 15_000;
/** Rarely, so that few threads are started, and each examines many events. */
const FOLLOW_EVERY_MS = 10_000;
const RESTART_AFTER_MS = 60_000;
const MOST_FAILURES = 3;

/** SQL: system events, which are not signed, and what cannot be parsed have no schema. */
const COUNTS = `unreadable IS NULL AND signature_header <> ''`;
/** SQL: whether there is an event to examine after this one. */
export const HAS_NEW = `SELECT 1 AS one FROM events WHERE seq > ? AND ${COUNTS} LIMIT 1`;
const HEADS = `SELECT seq, type, received_at AS at, length(body) AS size, CASE WHEN ${COUNTS} THEN 1 ELSE 0 END AS counts
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?`;

interface Head {
  seq: number;
  type: string;
  at: number;
  size: number;
  counts: number;
}

/** It is open while there are events to examine. */
export interface OwnReader {
  reader: Reader;
  close: () => Promise<void>;
}

/** Follows the stored events, and has a thread examine their payloads. */
export class SchemaFollower extends PollLoop {
  private worker: Worker | null = null;
  private own: OwnReader | null = null;
  /** Steps, and the end of the thread, which must not run during one. */
  private readonly steps = new SerialQueue();
  private readonly stopping = new AbortController();
  /** The last event that the thread was given. */
  private position: number;
  private reportedAt = 0;
  private readonly given = new Map<string, number>();
  private failures = 0;
  private failedAt = 0;
  private idle: NodeJS.Timeout | undefined;

  /**
   * @param hasNew whether there is an event to examine after this one
   * @param schemas by type, as `writeSchema` returns them: those of the events up to `through`
   * @param onReport called when they have changed
   */
  constructor(
    private readonly openReader: () => OwnReader,
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
      void this.steps.run(() => this.startOver());
    }, FOLLOW_EVERY_MS);
    this.position = through;
  }

  /** Lets `work` change the schemas, as they are up to `through`; what was examined after that is examined again. */
  change(work: () => Promise<void>): Promise<void> {
    return this.steps.run(async () => {
      await this.startOver();
      await work();
    });
  }

  private async startOver(): Promise<void> {
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
      const pause = Math.min(tookMs * PAUSE_FACTOR, MAX_PAUSE_MS);
      await wait(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
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

  /** @returns how long the thread has worked; null at the end */
  private async examineNext(): Promise<number | null> {
    const { position } = this;
    const heads = await this.reader().all<Head>([HEADS, [position, STEP.heads]]);
    if (heads.length === 0 || this.isStopped) return null;
    const isLast = heads.length < STEP.heads;
    const chosen = choose(heads, this.given, isLast ? 1 : await this.stride());
    const bodies = await this.reader().all<{ seq: number; body: Uint8Array }>([
      `SELECT seq, body FROM events WHERE seq ${inJsonList()} ORDER BY seq`,
      [JSON.stringify(chosen.heads.map(({ seq }) => seq))],
    ]);
    const bySeq = new Map(chosen.heads.map((head) => [head.seq, head]));
    const isAtEnd = isLast && chosen.through === heads.at(-1)!.seq;
    const report = isAtEnd || performance.now() - this.reportedAt >= REPORT_EVERY_MS;
    const { tookMs, changed } = await this.ask({
      events: chosen.events,
      bodies: bodies.map(({ seq, body }) => ({
        seq,
        body,
        type: bySeq.get(seq)!.type,
        at: bySeq.get(seq)!.at,
      })),
      report,
    });
    this.position = chosen.through;
    if (report) this.takeReport(changed);
    return isAtEnd ? null : tookMs;
  }

  private takeReport(changed: ExamineResponse['changed']): void {
    this.reportedAt = performance.now();
    this.through = this.position;
    for (const [type, schema] of changed) this.schemas.set(type, schema);
    this.onReport(changed.map(([type]) => type));
  }

  private async stride(): Promise<number> {
    const [newest] = await this.reader().all<{ seq: number }>(['SELECT max(seq) AS seq FROM events', []]);
    return Math.ceil((newest!.seq - this.position) / MOST_BEHIND);
  }

  private ask(request: ExamineRequest): Promise<ExamineResponse> {
    const worker = (this.worker ??= new Worker(join(__dirname, 'schemas.thread.js'), {
      workerData: { schemas: [...this.schemas] },
    }));
    return new Promise((resolve, reject) => {
      worker.once('message', (response: ExamineResponse) => {
        worker.removeAllListeners('error');
        resolve(response);
      });
      worker.once('error', (error) => {
        this.worker = null;
        reject(error);
      });
      worker.postMessage(request);
    });
  }

  private reader(): Reader {
    this.own ??= this.openReader();
    return this.own.reader;
  }

  private async endThread(): Promise<void> {
    const { worker, own } = this;
    this.worker = null;
    this.own = null;
    if (worker !== null) await endThread(worker);
    await own?.close();
  }
}

/**
 * The events of a step: of each type, every n-th.
 * @param given how many of each type there were before
 */
function choose(heads: readonly Head[], given: Map<string, number>, stride: number) {
  const chosen: Head[] = [];
  const events = new Map<string, number>();
  let bytes = 0;
  let through = 0;
  for (const head of heads) {
    if (chosen.length >= STEP.bodies || bytes >= STEP.bytes) break;
    through = head.seq;
    if (head.counts === 0) continue;
    const count = given.get(head.type) ?? 0;
    given.set(head.type, count + 1);
    events.set(head.type, (events.get(head.type) ?? 0) + 1);
    if (count % stride !== 0 || head.size > MAX_BODY_BYTES) continue;
    chosen.push(head);
    bytes += head.size;
  }
  return { heads: chosen, events: [...events], through };
}
