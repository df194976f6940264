import type { AttemptError, DeliveryState, DeliveryTrigger } from '../../contract/delivery';
import type { DeliveryKey } from '../ids';

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

/** Two notifications of one identity are the same. It begins with the minute so that its index grows at its end. */
export interface Identity {
  minute: number;
  hash: Uint8Array;
}

export type AppendOutcome =
  | { status: 'accepted' | 'duplicate'; seq: number; id: string }
  | { status: 'refused'; reason: RefusalReason; cause?: string };

/** `late`: not committed in time; `overload`: the queue's bytes are full; `storage`: the database or its disk failed. */
type RefusalReason = 'late' | 'overload' | 'storage';

/** A statement with its parameters, as TypeORM's query builders give it. */
export type Statement = [sql: string, parameters: unknown[]];

export interface ScheduleDraft {
  seq: number;
  target: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  at: number;
}

export interface ChangeOutcome {
  /** For each statement the rows it returned (`RETURNING`). */
  rows: unknown[][];
  scheduled: DeliveryKey[];
}

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
  attempt: AttemptRecord;
  state: Extract<DeliveryState, 'succeeded' | 'retrying' | 'dead'>;
  dueAt: number | null;
}

export interface DueDelivery {
  key: DeliveryKey;
  /** Attempts made so far. */
  attempts: number;
  dueAt: number;
  createdAt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
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

/** Looks at `limit` events behind `after` and removes those received before `before`. */
export interface PruneStep {
  before: number;
  after: number;
  limit: number;
}

export interface PruneOutcome {
  removed: number;
  /** Where the next step begins; null where the rest is younger. */
  next: number | null;
}

/** What one group brought, told after its commit. */
export interface Committed {
  events: { seq: number; draft: EventDraft; targets: number[] }[];
  scheduled: (ScheduleDraft & { n: number })[];
  settled: DeliveryResult[];
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
   * waiting counts, where that is not the arrival.
   */
  abstract append(draft: EventDraft, plan: () => number[], waitsSince?: number): Promise<AppendOutcome>;
  /** Resolves once the result is on disk; a failing disk delays it, it is never dropped. */
  abstract settle(result: DeliveryResult): Promise<void>;
  /** All statements and deliveries take effect, or none does. @throws RelayError `storage_failed`, 503 */
  abstract change(statements: Statement[], schedule?: ScheduleDraft[]): Promise<ChangeOutcome>;
  /**
   * One step of retention. Events with an unfinished delivery stay, and so does the newest: `seq` goes on from it.
   * @throws RelayError `storage_failed`, 503
   */
  abstract prune(step: PruneStep): Promise<PruneOutcome>;
  /** What is due for a target, the longest due first. */
  abstract takeDue(target: number, now: number, limit: number): Promise<DueDelivery[]>;
  abstract readEvent(seq: number): Promise<DeliverableEvent | null>;
  abstract onCommit(listener: (committed: Committed) => void): void;
  /** Commits what is queued, then closes every connection. */
  abstract close(): Promise<void>;
}
