import type { AttemptError, DeliveryState, DeliveryTrigger, Ending } from '../../contract/delivery';
import type { DeliveryKey } from '../ground/ids';
import type { DiskFaultListener } from './journal/disk-faults';

/** What is stored of a notification, or of a system event. Times are ms since 1970. */
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
  /** Why the body could not be read; null for a readable one. */
  unreadable: string | null;
  identity: Identity;
}

/**
 * The minute of a notification with an unreadable timestamp. The same bytes are a duplicate only while the sender may be
 * retrying; after that they are a new event.
 */
export const UNDATED_MINUTE = 0;

/** The minute of system events, whose identity holds for as long as they are kept. */
export const OWN_MINUTE = -1;

/** Two notifications with the same identity are duplicates. The minute comes first so that the index grows at its end. */
export interface Identity {
  minute: number;
  hash: Uint8Array;
}

export type AppendOutcome =
  | { status: 'accepted' | 'duplicate'; seq: number; id: string }
  | { status: 'refused'; reason: RefusalReason; cause?: string };

/** `late`: not committed in time; `overload`: the queue's bytes are full; `storage`: the database or its disk failed. */
export type RefusalReason = 'late' | 'overload' | 'storage';

/** A statement with its parameters, as TypeORM's query builders give it. */
export type Statement = [sql: string, parameters: unknown[]];

/** A target that receives an event, and its lane there: null if it need not keep any order. */
export interface PlannedDelivery {
  target: number;
  lane: string | null;
  /** Whether it receives duplicates too. */
  takesRepeats?: boolean;
}

/**
 * The priority at one target: 0 live first attempts and manual ones, 1 retries, 2 replays and other bulk work. Each class has
 * its share, so that none starves.
 */
export type DeliveryClass = 0 | 1 | 2;

export interface ScheduleDraft {
  seq: number;
  target: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  at: number;
  /** In a lane it waits behind the unfinished deliveries there. Defaults to none. */
  lane?: string | null;
  /** Defaults to 2 for a replay, else 0. */
  class?: DeliveryClass;
  /** What is sent in place of the event's body; or the `n` of a delivery whose edited body, if any, is sent again. */
  editedBody?: Uint8Array | number;
}

/** A delivery that ends without another attempt: an unfinished one is cancelled, a dead one is discarded. */
export interface ConcludeDraft {
  key: DeliveryKey;
  /** Why, as a sentence. */
  note: string;
  at: number;
  /**
   * An unfinished delivery becomes a dead letter instead, which may stop its lane. Those that wait in a lane behind one that
   * may still succeed are left as they are.
   */
  dead?: { ending: Ending; stopsLane: boolean };
}

export interface ChangeOutcome {
  /** For each statement the rows it returned (`RETURNING`). */
  rows: unknown[][];
  scheduled: DeliveryKey[];
  /** The former state of each concluded delivery; null if there was nothing to conclude. */
  concluded: (Concludable | null)[];
}

/** Statements that are run with a change, in its transaction. */
export interface Attachment {
  statements: Statement[];
  /** @param rows those of each statement, on disk; null if the change was not stored, and the attachment with it */
  onStored(rows: unknown[][] | null): void;
}

/** The state of a delivery before it was concluded, and its replay. */
export interface Concluded {
  was: Concludable;
  replayId: string | null;
}

type Concludable = Extract<DeliveryState, 'waiting' | 'pending' | 'retrying' | 'dead'>;

export interface AttemptRecord {
  number: number;
  at: number;
  durationMs: number;
  status: number | null;
  error: AttemptError | null;
  excerpt: string | null;
}

/** The outcome of an attempt for its delivery. */
export interface DeliveryResult {
  key: DeliveryKey;
  /** The replay that it is part of. */
  replayId: string | null;
  attempt: AttemptRecord;
  state: Extract<DeliveryState, 'succeeded' | 'retrying' | 'dead'>;
  /** On the scale of `TimeBounds.latest`. */
  dueAt: number | null;
  /** Its lane, whose next delivery is promoted when this one is settled. */
  lane: string | null;
  /** It is dead, and the deliveries behind it in its lane wait until it is retried or discarded. */
  stopsLane: boolean;
  /** Attempts that do not count, including this one. */
  spared: number;
  /** Why it is dead, as a sentence; null if it is not. */
  note: string | null;
  /** What ended it, if that is not how its last attempt failed. */
  ending?: Ending;
}

/** A delivery with attempts left. */
export interface OpenDelivery {
  key: DeliveryKey;
  class: DeliveryClass;
  lane: string | null;
  /** Attempts made so far; `spared` of them do not count. */
  attempts: number;
  spared: number;
  createdAt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  /** If it was read with the delivery. */
  event?: DeliverableEvent;
}

export interface DueDelivery extends OpenDelivery {
  dueAt: number;
}

/** A delivery that became the head of its lane. */
export interface Promoted extends DeliveryKey {
  lane: string;
}

/** What an attempt needs of its event. */
export interface DeliverableEvent {
  seq: number;
  type: string;
  entity: string | null;
  receivedAt: number;
  contentType: string | null;
  signatureHeader: string;
  signatureValue: string;
  body: Uint8Array;
}

/**
 * The events to remove with everything that belongs to them. Unfinished deliveries and dead letters keep an event, unless they
 * are to be removed with it.
 */
export interface PruneStep {
  seqs: readonly number[];
  /** Dead letters are removed with their events. */
  deadLetters?: boolean;
  /** Unfinished deliveries are cancelled and removed with their events: why, as a sentence, and when. */
  cancel?: { note: string; at: number };
  /** Identities from before this (ms since 1970) are removed; if null, those older than the oldest event. */
  forgetBefore: number | null;
  /** Run before the removal, in its transaction: the table `going` holds the `seq`s of the events to be removed. */
  beforeRemoval?: Statement[];
}

export interface PruneOutcome {
  removed: number;
  /** Dead letters that were removed with their events. */
  deadLetters: number;
  /** Unfinished deliveries that were cancelled and removed with their events. */
  cancelled: number;
  /** The used and the free part of the file, in bytes. */
  size: DatabaseSize;
}

export interface DatabaseSize {
  usedBytes: number;
  freeBytes: number;
}

/** What one group changed, published after its commit. */
export interface Committed {
  events: { seq: number; draft: EventDraft; targets: number[] }[];
  scheduled: (ScheduleDraft & { n: number })[];
  /** Without those whose delivery was concluded in the meantime. */
  settled: DeliveryResult[];
  /** `died`: if it became a dead letter, when and why. */
  concluded: ({
    key: DeliveryKey;
    died: { at: number; note: string; cause: Ending } | null;
  } & Concluded)[];
  /** What is due now. */
  promoted: Promoted[];
  /** The count of dead letters (dead, and followed by no later delivery) of each target where it may have changed. */
  deadLetters: [target: number, standing: number][];
}

/**
 * The only way to write, and the reads of the delivery queue. Everything that arrives while a group is being committed forms
 * the next group: one transaction, on disk before its outcomes are reported. A storage engine implements this.
 */
export abstract class Journal {
  /** Distinguishes the ids of two databases (40 bits). */
  abstract readonly instanceId: number;
  /**
   * @param plan called when the group is formed, so that no target changes in between
   * @param waitsSince when the event arrived, by monotonic time; defaults to now
   */
  abstract append(
    draft: EventDraft,
    plan: () => PlannedDelivery[],
    waitsSince?: number,
  ): Promise<AppendOutcome>;
  /**
   * Resolves once the result is on disk; a failing disk delays it, but it is never dropped. It is written at once if another
   * delivery waits behind it in its lane, else together with others.
   */
  abstract settle(result: DeliveryResult): Promise<void>;
  /** Atomic. @throws RelayError `storage_failed`, 503 */
  abstract change(
    statements: Statement[],
    schedule?: ScheduleDraft[],
    conclude?: ConcludeDraft[],
  ): Promise<ChangeOutcome>;
  /**
   * One step of retention. The newest event stays: `seq` goes on from it.
   * @throws RelayError `storage_failed`, 503
   */
  abstract prune(step: PruneStep): Promise<PruneOutcome>;
  /** Returns up to this many free pages of the file to the disk; with 0 it only reports the size. @throws RelayError `storage_failed`, 503 */
  abstract shrink(pages: number): Promise<DatabaseSize>;
  /**
   * The due deliveries of a class for a target, the longest due first.
   * @param now on the scale of `TimeBounds.latest`, as all due times
   * @param beyond what is due later than this was scheduled by a wrong clock, and is due as well
   */
  abstract takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond?: number,
  ): Promise<DueDelivery[]>;
  /** The delivery behind this one in its lane, with its event; null if there is none. */
  abstract readSuccessor(head: OpenDelivery): Promise<OpenDelivery | null>;
  abstract readEvent(seq: number): Promise<DeliverableEvent | null>;
  /** What one delivery sends in place of its event's body; null if it was not edited. */
  abstract readEditedBody(key: DeliveryKey): Promise<Uint8Array | null>;
  /** @param attach called for each change when it is requested */
  abstract attachToChanges(attach: () => Attachment | null): void;
  abstract onCommit(listener: (committed: Committed) => void): void;
  abstract onDiskFault(listener: DiskFaultListener): void;
  /** Commits what is queued, then closes every connection. */
  abstract close(): Promise<void>;
}
