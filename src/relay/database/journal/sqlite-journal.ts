import type { Clock } from '../../ground/clock';
import { eventId, type DeliveryKey } from '../../ground/ids';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import { AppendQueue } from './append-queue';
import { describeCommit } from './describe-commit';
import type { DiskFaultListener } from './disk-faults';
import type { AppendResult } from './group';
import {
  Journal,
  type AppendOutcome,
  type ChangeOutcome,
  type Committed,
  type Attachment,
  type ConcludeDraft,
  type DatabaseSize,
  type DeliverableEvent,
  type DeliveryResult,
  type DueDelivery,
  type EventDraft,
  type OpenDelivery,
  type PlannedDelivery,
  type PruneOutcome,
  type PruneStep,
  type RefusalReason,
  type ScheduleDraft,
  type Statement,
} from '../journal';
import { QueueReads } from './queue-reads';
import { SqliteQueueReads } from './sqlite-queue-reads';
import { SqliteThreads } from './threads';
import { isEmpty, packBatch, reportOutcomes, storageFailed, type Batch, type WorkOf } from './work';

/** Results that nothing depends on are collected for this long, to save a sync of the disk for each. */
const RESULT_DELAY_MS = 10;
const RESULT_GROUP = 500;
/** The pause before results that could not be written are written again. */
const RESULT_RETRY_MS = 1_000;

/** The journal on a SQLite file: group commit by back-pressure, through a single writer thread. */
export class SqliteJournal extends Journal {
  readonly instanceId: number;
  private readonly appends: AppendQueue;
  private readonly queue: QueueReads;
  private readonly queued: Omit<Batch, 'append'> = { settle: [], change: [], prune: [], shrink: [] };
  /** Results that could not be written, to be queued again. */
  private unsettled: WorkOf<'settle'>[] = [];
  private committing: Promise<unknown> | null = null;
  private scheduled = false;
  /** A successor in its lane waits for one of the queued results. */
  private blocksLane = false;
  private closing = false;
  private resultTimer: NodeJS.Timeout | null = null;
  private readonly listeners: ((committed: Committed) => void)[] = [];
  private attach: () => Attachment | null = () => null;

  private constructor(
    private readonly threads: SqliteThreads,
    private readonly reads: SqliteQueueReads,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {
    super();
    this.instanceId = threads.instanceId;
    this.appends = new AppendQueue(clock);
    this.queue = new QueueReads(reads, (what) => threads.prefetch(what));
  }

  /** @param file a database that is migrated already */
  static async open(file: string, clock: Clock, bounds: TimeBounds, log: Log): Promise<SqliteJournal> {
    return new SqliteJournal(await SqliteThreads.start(file), new SqliteQueueReads(file), clock, bounds, log);
  }

  /** `PRAGMA synchronous` of the connection that writes; 2 is FULL. */
  get synchronous(): number {
    return this.threads.synchronous;
  }

  append(
    draft: EventDraft,
    plan: () => PlannedDelivery[],
    waitsSince = this.clock.monotonic(),
  ): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      const refuse = (reason: RefusalReason) => resolve({ status: 'refused', reason });
      const work: WorkOf<'append'> = {
        input: { draft, plan, waitsSince, refuse },
        resolve: (result) => resolve(this.appendOutcome(result)),
        reject: (cause) => resolve({ status: 'refused', reason: 'storage', cause }),
      };
      if (this.appends.push(work)) this.commitSoon();
      else refuse('overload');
    });
  }

  settle(result: DeliveryResult): Promise<void> {
    return new Promise((resolve) => {
      const work: WorkOf<'settle'> = {
        input: result,
        resolve: () => resolve(),
        reject: () => this.unsettled.push(work),
      };
      const { settle } = this.queued;
      settle.push(work);
      this.blocksLane ||= this.reads.hasSuccessor(result);
      if (this.blocksLane || settle.length >= RESULT_GROUP) this.commitSoon();
      else this.commitResultsIn(RESULT_DELAY_MS);
    });
  }

  change(
    statements: Statement[],
    schedule: ScheduleDraft[] = [],
    conclude: ConcludeDraft[] = [],
  ): Promise<ChangeOutcome> {
    const attachment = this.attach();
    const input = { statements: [...statements, ...(attachment?.statements ?? [])], schedule, conclude };
    return new Promise((resolve, reject) => {
      this.queued.change.push({
        input,
        // The attachment comes first, and gets the rows of its own statements.
        resolve: ({ rows, scheduled, concluded }) => {
          attachment?.onStored(rows.slice(statements.length));
          resolve({
            rows: rows.slice(0, statements.length),
            scheduled,
            concluded: concluded.map((delivery) => delivery?.was ?? null),
          });
        },
        reject: (code) => {
          attachment?.onStored(null);
          reject(storageFailed(code));
        },
      });
      this.commitSoon();
    });
  }

  prune(step: PruneStep): Promise<PruneOutcome> {
    return new Promise((resolve, reject) => {
      this.queued.prune.push({
        input: step,
        resolve: ({ removed, deadLetters, cancelled, size }) =>
          resolve({ removed, deadLetters, cancelled, size }),
        reject: (code) => reject(storageFailed(code)),
      });
      this.commitSoon();
    });
  }

  shrink(pages: number): Promise<DatabaseSize> {
    return new Promise((resolve, reject) => {
      this.queued.shrink.push({ input: pages, resolve, reject: (code) => reject(storageFailed(code)) });
      this.commitSoon();
    });
  }

  takeDue(...which: Parameters<SqliteQueueReads['takeDue']>): Promise<DueDelivery[]> {
    return this.queue.takeDue(...which);
  }

  readSuccessor(head: OpenDelivery): Promise<OpenDelivery | null> {
    return this.queue.readSuccessor(head);
  }

  readEvent(seq: number): Promise<DeliverableEvent | null> {
    return this.queue.readEvent(seq);
  }

  readEditedBody(key: DeliveryKey): Promise<Uint8Array | null> {
    return Promise.resolve(this.reads.readEditedBody(key));
  }

  attachToChanges(company: () => Attachment | null): void {
    this.attach = company;
  }

  onCommit(listener: (committed: Committed) => void): void {
    this.listeners.push(listener);
  }

  onDiskFault(listener: DiskFaultListener): void {
    this.threads.faults.onFault(listener);
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.resultTimer !== null) clearTimeout(this.resultTimer);
    this.appends.close();
    await this.committing;
    for (let written = true; written && this.hasWork;) written = await this.commitGroup();
    this.reads.close();
    await this.threads.close();
  }

  private get hasWork(): boolean {
    return this.queued.settle.length > 0 || this.hasUrgentWork;
  }

  /** Whether the next group should be committed without delay. */
  private get hasUrgentWork(): boolean {
    const { change, prune, shrink } = this.queued;
    return this.blocksLane || !this.appends.isEmpty || change.length + prune.length + shrink.length > 0;
  }

  /**
   * Commits one group at a time; what arrives meanwhile forms the next one. Scheduled after the promises that the last group
   * resolved, so that the next plan sees what they changed (a target that was deleted).
   */
  private commitSoon(): void {
    if (this.committing !== null || this.scheduled || this.closing) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.closing) return;
      this.committing = this.commitGroup().finally(() => {
        this.committing = null;
        if (this.hasUrgentWork) this.commitSoon();
      });
    });
  }

  private commitResultsIn(delayMs: number): void {
    if (this.closing) return;
    this.resultTimer ??= setTimeout(() => {
      this.resultTimer = null;
      this.commitSoon();
    }, delayMs);
  }

  /** @returns false if no result could be written; everything else in a group has its outcome */
  private async commitGroup(): Promise<boolean> {
    const batch = this.takeBatch();
    if (isEmpty(batch)) return true;

    const { group, events, buffer } = packBatch(batch, this.bounds.latest());
    const outcome = await this.threads.commit(group, buffer);
    const settled = batch.settle.map(({ input }) => input);
    const committed = describeCommit(events, settled, group, outcome);
    const newest = committed.events.at(-1);
    if (newest !== undefined) this.queue.noteStored(newest.seq);
    this.publish(committed);
    reportOutcomes(batch, outcome.results);

    const unsettled = this.unsettled.splice(0);
    const { settle } = this.queued;
    settle.unshift(...unsettled);
    if (unsettled.length > 0) this.commitResultsIn(RESULT_RETRY_MS);
    else if (settle.length > 0) this.commitResultsIn(settle.length >= RESULT_GROUP ? 0 : RESULT_DELAY_MS);
    return batch.settle.length === 0 || unsettled.length < batch.settle.length;
  }

  private takeBatch(): Batch {
    const { settle, change, prune, shrink } = this.queued;
    const batch = {
      append: this.appends.take(),
      settle: settle.splice(0, RESULT_GROUP),
      change: change.splice(0),
      prune: prune.splice(0, 1),
      shrink: shrink.splice(0, 1),
    };
    this.blocksLane &&= settle.length > 0;
    return batch;
  }

  /** A listener that throws must not keep the others, or those who wait for an outcome, from being notified. */
  private publish(committed: Committed): void {
    for (const listener of this.listeners) {
      try {
        listener(committed);
      } catch (error) {
        this.log.error({ err: error }, 'a listener failed on a commit, which stands');
      }
    }
  }

  private appendOutcome([seq, receivedAt, duplicate]: AppendResult): AppendOutcome {
    return {
      status: duplicate ? 'duplicate' : 'accepted',
      seq,
      id: eventId(receivedAt, seq, this.instanceId),
    };
  }
}
