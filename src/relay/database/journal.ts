import type { AttemptError, DeliveryState, DeliveryTrigger, Ending } from '../../contract/delivery';
import type { DeliveryKey } from '../ground/ids';
import type { DiskFaultListener } from './journal/disk-faults';

/** What is stored of a notification, or of an event of our own. Times are ms since 1970. */
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
 * The minute of a notification whose timestamp cannot be read. The same bytes are the same notification only as long as its
 * sender may be repeating it: later they tell of something new.
 */
export const UNDATED_MINUTE = 0;

/** The minute of our own events, whose identity holds for as long as they are kept. */
export const OWN_MINUTE = -1;

/** Two notifications of one identity are the same. It begins with the minute so that its index grows at its end. */
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

/** A target that an event goes to, and the lane it takes there: null where it may overtake and be overtaken. */
export interface PlannedDelivery {
  target: number;
  lane: string | null;
  /** Whether it is sent what turns out to be a duplicate too. */
  takesRepeats?: boolean;
}

/**
 * Who goes first to one target: 0 live first attempts and what is sent by hand, 1 retries, 2 replays and whatever else is
 * sent in bulk. Each has its share, so that none starves.
 */
export type DeliveryClass = 0 | 1 | 2;

export interface ScheduleDraft {
  seq: number;
  target: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  at: number;
  /** In a lane it waits behind what is open there. None unless it is given. */
  lane?: string | null;
  /** 2 for a replay, else 0, unless it is given. */
  class?: DeliveryClass;
  /** What is sent in place of the event's bytes; or the `n` of the delivery whose edited bytes, if it has any, go out again. */
  editedBody?: Uint8Array | number;
}

/** A delivery that ends without another attempt: what is open is cancelled, what is dead is discarded. */
export interface ConcludeDraft {
  key: DeliveryKey;
  /** Why, as a sentence. */
  note: string;
  at: number;
  /**
   * What is open becomes a dead letter instead, which may stop its lane. Then what waits there for one that may still succeed
   * is left as it is.
   */
  dead?: { ending: Ending; stopsLane: boolean };
}

export interface ChangeOutcome {
  /** For each statement the rows it returned (`RETURNING`). */
  rows: unknown[][];
  scheduled: DeliveryKey[];
  /** What each concluded delivery was before; null where there was nothing to conclude. */
  concluded: (Concludable | null)[];
}

/** What is stored with a change, in its transaction. */
export interface Company {
  statements: Statement[];
  /** Told the rows of each statement once they are on disk; null where the change, and so this, was not stored. */
  settled(rows: unknown[][] | null): void;
}

/** What a delivery was before it was concluded, and the replay that it is part of. */
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

/** What an attempt made of its delivery. */
export interface DeliveryResult {
  key: DeliveryKey;
  /** The replay that it is part of. */
  replayId: string | null;
  attempt: AttemptRecord;
  state: Extract<DeliveryState, 'succeeded' | 'retrying' | 'dead'>;
  /** On the scale of `TimeBounds.latest`. */
  dueAt: number | null;
  /** Its lane, whose next one comes forward when this one is through. */
  lane: string | null;
  /** Dead, and what is behind it in its lane waits until it is retried or discarded. */
  stopsLane: boolean;
  /** Attempts that did not count, this one included. */
  spared: number;
  /** Why it is dead, as a sentence; null where it is not. */
  note: string | null;
  /** What ended it, where that is not how its last attempt failed. */
  ending?: Ending;
}

/** A delivery with attempts left. */
export interface OpenDelivery {
  key: DeliveryKey;
  class: DeliveryClass;
  lane: string | null;
  /** Attempts made so far, and how many of them did not count. */
  attempts: number;
  spared: number;
  createdAt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  /** Where it was read along. */
  event?: DeliverableEvent;
}

export interface DueDelivery extends OpenDelivery {
  dueAt: number;
}

/** What came forward in its lane. */
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
 * Which events are removed, with all that belongs to them. Unfinished deliveries and dead letters hold an event back, unless
 * they are to go with it.
 */
export interface PruneStep {
  seqs: readonly number[];
  /** Dead letters go with their events. */
  deadLetters?: boolean;
  /** Unfinished deliveries are cancelled and go with their events: why, as a sentence, and when. */
  cancel?: { note: string; at: number };
  /** Identities of notifications from before this, in ms since 1970, are forgotten; where it is null, those older than all that is kept. */
  forgetBefore: number | null;
  /** Run before the removal, in its transaction: the table `going` holds the `seq`s of the events to be removed. */
  beforeRemoval?: Statement[];
}

export interface PruneOutcome {
  removed: number;
  /** Dead letters that went with their events. */
  deadLetters: number;
  /** Unfinished deliveries that were cancelled and removed with their events. */
  cancelled: number;
  /** What the database takes, and what of its file is free, in bytes. */
  size: DatabaseSize;
}

export interface DatabaseSize {
  usedBytes: number;
  freeBytes: number;
}

/** What one group brought, told after its commit. */
export interface Committed {
  events: { seq: number; draft: EventDraft; targets: number[] }[];
  scheduled: (ScheduleDraft & { n: number })[];
  /** Without those whose delivery was concluded while they were on their way. */
  settled: DeliveryResult[];
  /** `died`: where it became a dead letter, when and why. */
  concluded: ({
    key: DeliveryKey;
    died: { at: number; note: string; cause: Ending } | null;
  } & Concluded)[];
  /** What is due now. */
  promoted: Promoted[];
  /** How many dead letters stand now, for each target where that may have changed: dead, and followed by no later delivery. */
  deadLetters: [target: number, standing: number][];
}

/**
 * The one way to write, and the reads that delivering needs. Everything that arrives while a group is being committed
 * forms the next group: one transaction, on disk before anyone hears of it. An engine is an implementation of this.
 */
export abstract class Journal {
  /** Keeps the ids of two databases apart (40 bits). */
  abstract readonly hub: number;
  /**
   * `plan` names the targets when the group is formed, so that no target changes in between. `waitsSince`: from when on the
   * waiting counts, by monotonic time, where that is not now.
   */
  abstract append(
    draft: EventDraft,
    plan: () => PlannedDelivery[],
    waitsSince?: number,
  ): Promise<AppendOutcome>;
  /**
   * Resolves once the result is on disk; a failing disk delays it, it is never dropped. Where something waits behind it in its
   * lane it is written at once, else with others.
   */
  abstract settle(result: DeliveryResult): Promise<void>;
  /** All of it takes effect, or nothing does. @throws RelayError `storage_failed`, 503 */
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
  /** Gives up to so many free pages of the file back to the disk; with 0 it only tells the size. @throws RelayError `storage_failed`, 503 */
  abstract shrink(pages: number): Promise<DatabaseSize>;
  /**
   * What of a class is due for a target, the longest due first. @param now on the scale of `TimeBounds.latest`, as all due times
   * @param beyond what is due later than this was put off by a clock that was wrong: it is due as well
   */
  abstract takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond?: number,
  ): Promise<DueDelivery[]>;
  /** What comes forward once this one is through, with its event; null where nothing waits behind it in its lane. */
  abstract readSuccessor(head: OpenDelivery): Promise<OpenDelivery | null>;
  abstract readEvent(seq: number): Promise<DeliverableEvent | null>;
  /** What one delivery sends in place of its event's bytes; null where it was not edited. */
  abstract readEditedBody(key: DeliveryKey): Promise<Uint8Array | null>;
  /** Asked at each change, where it is made, for what goes along with it. */
  abstract accompany(company: () => Company | null): void;
  abstract onCommit(listener: (committed: Committed) => void): void;
  abstract onDiskFault(listener: DiskFaultListener): void;
  /** Commits what is queued, then closes every connection. */
  abstract close(): Promise<void>;
}
