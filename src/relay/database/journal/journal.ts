import type { AttemptError, DeliveryState, DeliveryTrigger, Ending } from '../../../contract/delivery';
import type { DeliveryKey, InstanceId } from '../../ground/ids';
import type { QueuedCounts } from './count-queued';
import type { DiskFailureListener } from './disk-failures';
import type { Identity } from './identity';
import type { DatabaseSize, PruneOutcome, PruneStep } from './prune-step';
import type { Statement, Attachment } from './statements';

/** The stored part of a notification or a system event. Times are ms since 1970. */
export interface EventDraft {
  type: string;
  entity: string | null;
  name: string | null;
  occurredAt: number | null;
  receivedAt: number;
  webhookId: string | null;
  contentType: string | null;
  headers: [name: string, value: string][];
  body: Uint8Array;
  signatureHeader: string;
  signatureValue: string;
  /** Why the body could not be parsed; null if it could. */
  unreadable: string | null;
  /** Of the record in the payload: when Co-Pilot updated it; null if that is not known. */
  version: number | null;
  identity: Identity;
}

export type AppendOutcome =
  | { status: 'accepted' | 'duplicate'; seq: number; id: string }
  | { status: 'not_stored'; reason: NotStoredReason; cause?: string };

/** `late`: not committed in time; `overload`: the queue is full; `storage`: the database or its disk failed. */
export type NotStoredReason = 'late' | 'overload' | 'storage';

/** A target that receives an event, and the event's lane there; null if the order does not matter. */
export interface PlannedDelivery {
  target: number;
  lane: string | null;
  takesDuplicates?: boolean;
}

/**
 * The priority classes within a target. `live`: first attempts and manual deliveries; `retry`: later attempts; `replay`:
 * replays and other bulk work. Each class has a share of the capacity, so none starves.
 */
export const PRIORITY = { live: 0, retry: 1, replay: 2 } as const;
export type DeliveryClass = (typeof PRIORITY)[keyof typeof PRIORITY];

export interface ScheduleDraft {
  seq: number;
  target: number;
  trigger: DeliveryTrigger;
  /** The replay that creates it, or the job that retries a dead letter. */
  replayId: string | null;
  at: number;
  /** The first delivery of an event that was stored without one, as if planned then: its `n` is 0. It must not exist. */
  isFirst?: true;
  /** In a lane, the delivery waits behind the unfinished ones there. Defaults to none. */
  lane?: string | null;
  /** Defaults to `replay` for a replay, else `live`. */
  class?: DeliveryClass;
  /** The body to send instead of the event's. */
  editedBody?: Uint8Array;
  /**
   * The `n` of the delivery that is retried. If it had an edited body, this delivery gets it too; if it is a dead
   * letter that blocks its lane, this delivery takes its place there.
   */
  retryOf?: number;
}

/** A delivery that ends without another attempt: a queued one is cancelled, a dead letter is discarded. */
export interface EndDraft {
  key: DeliveryKey;
  /** Why, as a sentence. */
  note: string;
  at: number;
  /**
   * A queued delivery becomes a dead letter instead, which may block its lane. One that waits in such a lane behind a
   * delivery that may still succeed is left unchanged.
   */
  asDeadLetter?: { ending: Ending; blocksLane: boolean };
}

/**
 * Erases events, by `ERASURE_RULES`. Their queued deliveries are cancelled and their dead letters discarded; both are
 * published as ended.
 */
export interface EraseStep {
  seqs: readonly number[];
  /** Also what is stored of the entity itself; null: of none. */
  entity: string | null;
  /** The number of the erasure. */
  erasure: number;
  /** Ms since 1970. */
  at: number;
}

/** What one transaction does: first the statements, then the drafts in this order, then the erasure. */
export interface Change {
  statements: Statement[];
  schedule: ScheduleDraft[];
  end: EndDraft[];
  erase?: EraseStep;
  /** The change is stored only if this daemon still owns this target. */
  asOwnerOf?: number;
  /** On PostgreSQL: the epoch in which it owned the target; set by the journal. */
  ownerEpoch?: number;
}

export interface ChangeOutcome {
  /** For each statement, the rows it returned (`RETURNING`). */
  rows: unknown[][];
  scheduled: DeliveryKey[];
  /** For each `EndDraft`, the previous state of its delivery; null if that had already ended. */
  ended: (EndableState | null)[];
}

/** The state of a delivery before it was ended, and its replay. */
export interface Ended {
  previousState: EndableState;
  replayId: string | null;
}

type EndableState = Extract<DeliveryState, 'waiting' | 'pending' | 'retrying' | 'dead'>;

export interface AttemptRecord {
  number: number;
  at: number;
  durationMs: number;
  status: number | null;
  error: AttemptError | null;
  excerpt: string | null;
  /** The version of the expression that made the body; null if none did. */
  transform: number | null;
  /** The `seq` of the event whose payload was `$previous`, 0 if there is none; null if the expression does not name it. */
  previous: number | null;
}

/** The outcome of an attempt for its delivery. */
export interface DeliveryResult {
  key: DeliveryKey;
  replayId: string | null;
  attempt: AttemptRecord;
  state: Extract<DeliveryState, 'succeeded' | 'retrying' | 'dead'>;
  /** On the scale of `TimeBounds.latest`. */
  dueAt: number | null;
  /** The lane of the delivery; the next one there is promoted when this one finishes. */
  lane: string | null;
  /** Whether the delivery is dead and those behind it in its lane wait until it is retried or discarded. */
  blocksLane: boolean;
  /** The number of attempts that do not count towards the limit, including this one. */
  uncounted: number;
  /** Why the delivery is dead, as a sentence; null if it is not. */
  note: string | null;
  /** What made the delivery dead, unless that was the failure of its last attempt. */
  ending?: Ending | undefined;
  /** On PostgreSQL: the epoch in which this daemon owned the target; it is stored only if that is the present one. */
  ownerEpoch?: number | undefined;
}

/** A delivery that is not finished, as an attempt needs it. */
export interface QueuedDelivery {
  key: DeliveryKey;
  class: DeliveryClass;
  lane: string | null;
  /** Attempts made so far; `uncounted` of them do not count towards the limit. */
  attempts: number;
  uncounted: number;
  createdAt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  /** Present if it was read with the delivery. */
  event?: DeliverableEvent | undefined;
}

export interface DueDelivery extends QueuedDelivery {
  dueAt: number;
}

/** A target whose deliveries may be due. */
export interface DueTarget {
  target: number;
  /** Deliveries that are due later than this were scheduled by a wrong clock, and are due. */
  beyond: number;
}

/** A delivery that became the head of its lane, and is due now. */
export interface PromotedDelivery extends DeliveryKey {
  lane: string;
}

/** The part of an event that an attempt needs. */
export interface DeliverableEvent extends Pick<
  EventDraft,
  'type' | 'entity' | 'receivedAt' | 'contentType' | 'signatureHeader' | 'signatureValue' | 'body'
> {
  seq: number;
}

/** A table that every daemon keeps in memory. */
export type CachedTable = 'targets' | 'subscriptions';

/** The changes of one group, published after its commit. */
export interface Committed {
  /** `maybeSent`: it is published some time after its commit, so its deliveries may have been sent. */
  events: { seq: number; draft: EventDraft; planned: readonly PlannedDelivery[]; maybeSent?: true }[];
  scheduled: (ScheduleDraft & { n: number })[];
  /** Without the results of deliveries that were ended while their attempt was in flight. */
  results: DeliveryResult[];
  /** `deadLetter`: when and why the delivery became a dead letter; null if it did not. */
  ended: ({
    key: DeliveryKey;
    deadLetter: { at: number; note: string; cause: Ending } | null;
  } & Ended)[];
  promoted: PromotedDelivery[];
  /** The events that were erased: nothing of them may stay in memory. */
  erased: number[];
  /** The number of dead letters (without a later delivery) of each target where it may have changed. */
  deadLetters: [target: number, count: number][];
}

/**
 * The only way to write, and the reads of the delivery queue. What arrives while a group is being committed forms the
 * next group: one transaction, on disk before its outcomes are reported. Each engine implements it.
 */
export abstract class Journal {
  /** Distinguishes the ids of two databases (40 bits). */
  abstract readonly instanceId: InstanceId;
  /**
   * @param plan called when the group is formed, so that no target can change before the commit
   * @param arrivedAt when the event arrived, by monotonic time; defaults to now
   */
  abstract append(
    draft: EventDraft,
    plan: () => PlannedDelivery[],
    arrivedAt?: number,
  ): Promise<AppendOutcome>;
  /**
   * Resolves once the result is on disk. A failing disk delays a result, but never drops it. It is written
   * immediately if another delivery waits behind it in its lane, otherwise together with others.
   */
  abstract saveResult(result: DeliveryResult): Promise<void>;
  /** Atomic. @throws RelayError `storage_failed`, 503 */
  abstract change(change: Partial<Change>): Promise<ChangeOutcome>;
  /** A step of retention; the newest event stays: on SQLite, `seq` continues from it. @throws RelayError `storage_failed`, 503 */
  abstract prune(step: PruneStep): Promise<PruneOutcome>;
  /**
   * Returns up to this many free pages of the file to the disk; 0 only determines the size, on PostgreSQL that of the
   * events.
   * @throws RelayError `storage_failed`, 503
   */
  abstract shrink(pages: number): Promise<DatabaseSize>;
  /** Removes from the disk what rows that were changed or removed have left there. It may take minutes. */
  abstract clean(signal: AbortSignal): Promise<void>;
  /**
   * The due deliveries of a class for a target, those due longest first.
   * @param now on the scale of `TimeBounds.latest`, as all due times
   * @param beyond deliveries that are due later than this were scheduled by a wrong clock, and are returned too
   * @param after the last delivery of the block before; null to read from the beginning
   */
  abstract takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond?: number,
    after?: DueDelivery | null,
  ): Promise<DueDelivery[]>;
  /** Those of the targets that may have due deliveries; the others need not be read. @param now as for `takeDue` */
  abstract findDue(targets: readonly DueTarget[], now: number): Promise<readonly number[]>;
  /** The delivery behind this one in its lane, with its event; null if there is none. */
  abstract readSuccessor(head: QueuedDelivery): Promise<QueuedDelivery | null>;
  abstract readEvent(seq: number): Promise<DeliverableEvent | null>;
  /** The number of queued deliveries by target; later changes come with the commits (`onCommit`). */
  abstract countQueued(): Promise<QueuedCounts>;
  /** The body that a delivery sends instead of its event's; null if it was not edited. */
  abstract readEditedBody(key: DeliveryKey): Promise<Uint8Array | null>;
  /**
   * The bodies of the gap events that a target receives, between an event of this entity and the one before it that is
   * sent to the target too; none if there is no such event.
   */
  abstract readGapsBefore(seq: number, target: number, entity: string): Promise<Uint8Array[]>;
  /** @param reload called when another daemon has changed targets since an event was planned: it is planned again */
  abstract setPlanReloader(reload: () => Promise<void>): void;
  /** Resolves once what other daemons had committed before, and concerns this one, was published by `onCommit`. */
  abstract catchUp(): Promise<void>;
  /** Calls `listener` when another daemon may have changed a table that this one has in memory. */
  abstract onTableChanged(table: CachedTable, listener: () => void): void;
  /** Calls `listener` with targets for which another daemon has stored events. */
  abstract onEventsFromOtherDaemon(listener: (targets: readonly number[]) => void): void;
  /** @param attach called for each change when it is requested: what else its transaction writes, as the audit log */
  abstract attachToChanges(attach: () => Attachment | null): void;
  /** @param listener called after the promises of `append` have resolved, and before those of other calls */
  abstract onCommit(listener: (committed: Committed) => void): void;
  abstract onDiskFailure(listener: DiskFailureListener): void;
  /** Commits all queued work, then closes every connection. */
  abstract close(): Promise<void>;
}
