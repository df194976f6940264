import type { Clock } from '../../ground/clock';
import { eventId, type DeliveryKey } from '../../ground/ids';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import { AppendQueue } from './append-queue';
import { describeCommit } from './describe-commit';
import type { DiskFaultListener } from './disk-faults';
import { packAppends, settleRow, type AppendResult, type Group } from './group';
import {
  Journal,
  type AppendOutcome,
  type ChangeOutcome,
  type Committed,
  type Company,
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
  type ScheduleDraft,
  type Statement,
} from '../journal';
import {
  answerChange,
  answerPrune,
  answerShrink,
  type PendingChange,
  type PendingPrune,
  type PendingSettle,
  type PendingShrink,
} from './pending-work';
import { QueueReads } from './queue-reads';
import { SqliteQueueReads } from './sqlite-queue-reads';
import { SqliteThreads } from './threads';

/** Results that nobody waits for wait this long for company: a sync of the disk for each would be waste. */
const RESULT_DELAY_MS = 10;
const RESULT_GROUP = 500;
/** After a group that the disk refused, results are tried again at this pace. */
const RESULT_RETRY_MS = 1_000;

/** The journal over a SQLite file: group commit by back-pressure, through the one thread that writes. */
export class SqliteJournal extends Journal {
  readonly hub: number;
  private readonly appends: AppendQueue;
  private readonly queue: QueueReads;
  private settles: PendingSettle[] = [];
  private changes: PendingChange[] = [];
  private prunes: PendingPrune[] = [];
  private shrinks: PendingShrink[] = [];
  private committing: Promise<unknown> | null = null;
  private scheduled = false;
  /** Behind one of the results a successor in its lane waits. */
  private holdsUpLane = false;
  private closing = false;
  private resultTimer: NodeJS.Timeout | null = null;
  private readonly listeners: ((committed: Committed) => void)[] = [];
  private company: () => Company | null = () => null;

  private constructor(
    private readonly threads: SqliteThreads,
    private readonly reads: SqliteQueueReads,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {
    super();
    this.hub = threads.hub;
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
      if (this.appends.push({ draft, plan, waitsSince, resolve })) this.commitSoon();
      else resolve({ status: 'refused', reason: 'overload' });
    });
  }

  settle(result: DeliveryResult): Promise<void> {
    return new Promise((resolve) => {
      this.settles.push({ result, resolve });
      this.holdsUpLane ||= this.reads.hasSuccessor(result);
      if (this.holdsUpLane || this.settles.length >= RESULT_GROUP) this.commitSoon();
      else this.commitResultsIn(RESULT_DELAY_MS);
    });
  }

  change(
    statements: Statement[],
    schedule: ScheduleDraft[] = [],
    conclude: ConcludeDraft[] = [],
  ): Promise<ChangeOutcome> {
    return new Promise((resolve, reject) => {
      this.changes.push({ statements, company: this.company(), schedule, conclude, resolve, reject });
      this.commitSoon();
    });
  }

  prune(step: PruneStep): Promise<PruneOutcome> {
    return new Promise((resolve, reject) => {
      this.prunes.push({ step, resolve, reject });
      this.commitSoon();
    });
  }

  shrink(pages: number): Promise<DatabaseSize> {
    return new Promise((resolve, reject) => {
      this.shrinks.push({ pages, resolve, reject });
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

  accompany(company: () => Company | null): void {
    this.company = company;
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
    for (let written = true; written && this.isQueueing;) written = await this.commitGroup();
    this.reads.close();
    await this.threads.close();
  }

  private get isQueueing(): boolean {
    return this.settles.length > 0 || this.isAwaited;
  }

  /** Whether somebody waits for the next group. */
  private get isAwaited(): boolean {
    return (
      this.holdsUpLane ||
      !this.appends.isEmpty ||
      this.changes.length + this.prunes.length + this.shrinks.length > 0
    );
  }

  /**
   * One group at a time; what arrives while it is under way is the next. Scheduled behind the promises that the last
   * group resolved, so that what they changed (a target removed) holds for the next plan.
   */
  private commitSoon(): void {
    if (this.committing !== null || this.scheduled || this.closing) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.closing) return;
      this.committing = this.commitGroup().finally(() => {
        this.committing = null;
        if (this.isAwaited) this.commitSoon();
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

  /** @returns false where the database kept every result back; everything else of a group has its outcome */
  private async commitGroup(): Promise<boolean> {
    const appends = this.appends.take();
    const settles = this.settles.splice(0, RESULT_GROUP);
    this.holdsUpLane &&= this.settles.length > 0;
    const changes = this.changes.splice(0);
    const prune = this.prunes.shift();
    const shrink = this.shrinks.shift();
    const isEmpty = appends.length + settles.length + changes.length === 0;
    if (isEmpty && prune === undefined && shrink === undefined) return true;

    const planned = appends.map(({ draft, plan }) => ({ draft, planned: plan() }));
    const { rows, buffer } = packAppends(planned);
    const group: Group = {
      dueAt: this.bounds.latest(),
      appends: rows,
      settles: settles.map(({ result }) => settleRow(result)),
      changes: changes.map(({ statements, company, schedule, conclude }) => ({
        statements: [...statements, ...(company?.statements ?? [])],
        schedule,
        conclude,
      })),
      prune: prune?.step ?? null,
      shrink: shrink?.pages ?? null,
    };
    const outcome = await this.threads.commit(group, buffer);
    const committed = describeCommit(
      planned,
      settles.map(({ result }) => result),
      group,
      outcome,
    );
    const newest = committed.events.at(-1);
    if (newest !== undefined) this.queue.stored(newest.seq);
    this.tell(committed);

    appends.forEach(({ resolve }, i) => resolve(this.appendOutcome(outcome.appends[i]!)));
    changes.forEach((change, i) => answerChange(change, outcome.changes[i]!));
    const unsettled = settles.filter(({ resolve }, i) => {
      const failed = typeof outcome.settles[i] === 'string';
      if (!failed) resolve();
      return failed;
    });
    this.settles.unshift(...unsettled);
    if (unsettled.length > 0) this.commitResultsIn(RESULT_RETRY_MS);
    else if (this.settles.length > 0)
      this.commitResultsIn(this.settles.length >= RESULT_GROUP ? 0 : RESULT_DELAY_MS);
    if (prune !== undefined && outcome.pruned !== null) answerPrune(prune, outcome.pruned);
    if (shrink !== undefined && outcome.shrunk !== null) answerShrink(shrink, outcome.shrunk);
    return settles.length === 0 || unsettled.length < settles.length;
  }

  /** A listener that throws keeps neither the others from hearing of the commit, nor anybody from being answered. */
  private tell(committed: Committed): void {
    for (const listener of this.listeners) {
      try {
        listener(committed);
      } catch (error) {
        this.log.error({ err: error }, 'a listener failed on a commit, which stands');
      }
    }
  }

  private appendOutcome(result: AppendResult): AppendOutcome {
    if (typeof result === 'string') return { status: 'refused', reason: 'storage', cause: result };
    const [seq, receivedAt, duplicate] = result;
    return { status: duplicate ? 'duplicate' : 'accepted', seq, id: eventId(receivedAt, seq, this.hub) };
  }
}
