import type { QueuedCounts } from './count-queued';
import type { Clock } from '../../ground/clock';
import { eventId, type DeliveryKey, type InstanceId } from '../../ground/ids';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import type { Attachment } from './statements';
import { describeCommit } from './describe-commit';
import type { DiskFailureListener } from './disk-failures';
import { failAll, type AppendResult } from './group';
import {
  Journal,
  type AppendOutcome,
  type CachedTable,
  type Change,
  type ChangeOutcome,
  type Committed,
  type DeliverableEvent,
  type DeliveryResult,
  type DueDelivery,
  type EventDraft,
  type QueuedDelivery,
  type PlannedDelivery,
  type NotStoredReason,
} from './journal';
import type { DatabaseSize, PruneOutcome, PruneStep } from './prune-step';
import type { GroupWriter, QueueStore } from './group-store';
import { isEmpty, packBatch, reportOutcomes, storageFailed, type Batch, type WorkOf } from './work';
import { Signal } from '../../ground/signal';
import { WorkQueue } from './work-queue';

/** Results that nothing depends on are collected for this long, to avoid a disk sync for each. */
const RESULT_DELAY_MS = 10;
/** The delay before results that could not be written are retried. */
const RESULT_RETRY_MS = 1_000;

/** Used in place of an engine's error code. */
const TARGETS_NOT_READ = 'targets_not_read';

/** Forms groups by back-pressure, which an engine's writer commits one at a time. */
export class GroupJournal extends Journal {
  readonly instanceId: InstanceId;
  private readonly work: WorkQueue;
  /** Results that could not be written and will be queued again. */
  private unsavedResults: WorkOf<'result'>[] = [];
  private committing: Promise<unknown> | null = null;
  private commitScheduled = false;
  private closing = false;
  private resultTimer: NodeJS.Timeout | null = null;
  private readonly commits = new Signal<[Committed]>();
  protected readonly tableChanges = new Signal<[string]>();
  protected readonly eventsFromOtherDaemons = new Signal<[targets: readonly number[]]>();
  private attach: () => Attachment | null = () => null;
  private reloadTargets: () => Promise<void> = async () => undefined;
  private targetsVersion: number | null;

  constructor(
    private readonly writer: GroupWriter,
    private readonly queue: QueueStore,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {
    super();
    this.instanceId = writer.instanceId;
    this.targetsVersion = writer.targetsVersion;
    this.work = new WorkQueue(clock, writer.commitsEventsAlone);
  }

  append(
    draft: EventDraft,
    plan: () => PlannedDelivery[],
    arrivedAt = this.clock.monotonic(),
  ): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      const onNotStored = (reason: NotStoredReason) => resolve({ status: 'not_stored', reason });
      const work: WorkOf<'append'> = {
        input: { draft, plan, arrivedAt, onNotStored },
        resolve: (result) => resolve(this.appendOutcome(result)),
        reject: (cause) => resolve({ status: 'not_stored', reason: 'storage', cause }),
      };
      if (this.work.appends.push(work)) this.commitSoon();
      else onNotStored('overload');
    });
  }

  saveResult(result: DeliveryResult): Promise<void> {
    return new Promise((resolve) => {
      const work: WorkOf<'result'> = {
        input: result,
        resolve: () => resolve(),
        reject: () => this.unsavedResults.push(work),
      };
      this.work.pushResult(work, this.queue.isAwaited(result));
      if (this.work.isUrgent || this.work.isFullOfResults) this.commitSoon();
      else this.commitResultsIn(RESULT_DELAY_MS);
    });
  }

  change({ statements = [], schedule = [], end = [], ...owner }: Partial<Change>): Promise<ChangeOutcome> {
    const attachment = this.attach();
    const input = { statements: [...statements, ...(attachment?.statements ?? [])], schedule, end, ...owner };
    return new Promise((resolve, reject) => {
      this.work.push('change', {
        input,
        // Before the caller continues, which may depend on the attachment being stored.
        resolve: ({ rows, scheduled, ended }) => {
          attachment?.onStored(rows.slice(statements.length));
          resolve({
            rows: rows.slice(0, statements.length),
            scheduled,
            ended: ended.map((delivery) => delivery?.previousState ?? null),
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
      this.work.push('prune', {
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
      this.work.push('shrink', { input: pages, resolve, reject: (code) => reject(storageFailed(code)) });
      this.commitSoon();
    });
  }

  clean(signal: AbortSignal): Promise<void> {
    return this.writer.clean(signal);
  }

  takeDue(...query: Parameters<Journal['takeDue']>): Promise<DueDelivery[]> {
    return this.queue.takeDue(...query);
  }

  findDue(...query: Parameters<Journal['findDue']>): Promise<readonly number[]> {
    return this.queue.findDue(...query);
  }

  readSuccessor(head: QueuedDelivery): Promise<QueuedDelivery | null> {
    return this.queue.readSuccessor(head);
  }

  readEvent(seq: number): Promise<DeliverableEvent | null> {
    return this.queue.readEvent(seq);
  }

  countQueued(): Promise<QueuedCounts> {
    return this.queue.countQueued();
  }

  readGapsBefore(seq: number, target: number, entity: string): Promise<Uint8Array[]> {
    return this.queue.readGapsBefore(seq, target, entity);
  }

  readEditedBody(key: DeliveryKey): Promise<Uint8Array | null> {
    return this.queue.readEditedBody(key);
  }

  attachToChanges(attach: () => Attachment | null): void {
    this.attach = attach;
  }

  /** A listener that throws must not keep other listeners, or callers that wait for an outcome, from being notified. */
  onCommit(listener: (committed: Committed) => void): void {
    this.commits.subscribe((committed) => {
      try {
        listener(committed);
      } catch (error) {
        this.log.error({ err: error }, 'a commit listener failed; the commit is not affected');
      }
    });
  }

  setPlanReloader(reload: () => Promise<void>): void {
    this.reloadTargets = reload;
  }

  async catchUp(): Promise<void> {
    // No other daemon commits.
  }

  onTableChanged(table: CachedTable, listener: () => void): void {
    this.tableChanges.subscribe((changed) => changed === table && listener());
  }

  onEventsFromOtherDaemon(listener: (targets: readonly number[]) => void): void {
    this.eventsFromOtherDaemons.subscribe(listener);
  }

  onDiskFailure(listener: DiskFailureListener): void {
    this.writer.failures.onFailure(listener);
  }

  /** Notifies the commit listeners. */
  protected publish(committed: Committed): void {
    this.commits.emit(committed);
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.resultTimer !== null) clearTimeout(this.resultTimer);
    this.work.appends.close();
    await this.committing;
    for (let written = true; written && !this.work.isEmpty;) written = await this.commitGroup();
    await this.queue.close();
    await this.writer.close();
  }

  /**
   * Commits one group at a time; what arrives meanwhile forms the next one. Scheduled after the promises that the
   * last group resolved, so that the next plan sees their effects (such as a deleted target).
   */
  private commitSoon(): void {
    if (this.committing !== null || this.commitScheduled || this.closing) return;
    this.commitScheduled = true;
    setImmediate(() => {
      this.commitScheduled = false;
      if (this.closing) return;
      this.committing = this.commitGroup().finally(() => {
        this.committing = null;
        if (this.work.isUrgent) this.commitSoon();
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

  /** @returns false if no result could be written; all other work of the group has its outcome */
  private async commitGroup(): Promise<boolean> {
    const batch = this.work.take();
    if (isEmpty(batch)) return true;

    const { group, events, outcome } = await this.commitPlanned(batch);
    reportOutcomes(batch, outcome.outcomes, ['append']);
    // What awaits these continues first: acknowledgements do not wait for the commit listeners.
    await Promise.resolve();
    const results = batch.result.map(({ input }) => input);
    const committed = describeCommit(events, results, group, outcome);
    this.queue.onCommitted(committed);
    this.publish(committed);
    reportOutcomes(batch, outcome.outcomes, ['result', 'change', 'prune', 'shrink']);

    const unsaved = this.unsavedResults.splice(0);
    this.work.putBack(unsaved);
    if (unsaved.length > 0) this.commitResultsIn(RESULT_RETRY_MS);
    else if (this.work.hasResults) this.commitResultsIn(this.work.isFullOfResults ? 0 : RESULT_DELAY_MS);
    return batch.result.length === 0 || unsaved.length < batch.result.length;
  }

  /** Plans the events and commits the batch, again if another daemon has changed targets in between. */
  private async commitPlanned(batch: Batch) {
    for (;;) {
      const { group, events, buffer } = packBatch(batch, this.bounds.latest(), this.targetsVersion);
      const outcome = await this.writer.commit(group, buffer, this.work.appends.limitsOf(batch.append));
      if (outcome.outdatedPlans === undefined) return { group, events, outcome };
      try {
        await this.reloadTargets();
        ({ targetsVersion: this.targetsVersion } = outcome.outdatedPlans);
      } catch (error) {
        this.log.error({ err: error }, 'targets that another daemon has changed were not read');
        return { group, events, outcome: failAll(group, TARGETS_NOT_READ) };
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
