import type { DeliveryKey } from '../../ground/ids';
import type { Change, Committed, Ended, PromotedDelivery } from './journal';
import type { DatabaseSize, PruneOutcome, PruneStep } from './prune-step';
import type { PackedEvent, PackedResult } from './packed-rows';

/**
 * The kinds of work, in the order in which a transaction does them: changes follow events and results, so that
 * deleting a target also cancels what the same group planned for it.
 */
export const WORK_KINDS = ['append', 'result', 'change', 'prune', 'shrink'] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** What the writer of the engine gets for each kind of work, and what it returns. */
export interface WorkTypes {
  append: { input: PackedEvent; outcome: AppendResult };
  /** The outcome is false if the result had no effect: the delivery was ended meanwhile, or has another owner. */
  result: { input: PackedResult; outcome: boolean };
  change: { input: Change; outcome: ChangeResult };
  prune: { input: PruneStep; outcome: PruneResult };
  /** The input is the maximum number of free pages to return to the disk; PostgreSQL only says how large it is. */
  shrink: { input: number; outcome: DatabaseSize };
}

/** The work of one transaction. */
export interface Group {
  /** The due time of deliveries that are due immediately, on the scale of `TimeBounds.latest`. */
  now: number;
  /** The version of the targets that the events were planned for; null on SQLite. */
  targetsVersion: number | null;
  work: { [Kind in WorkKind]: WorkTypes[Kind]['input'][] };
}

export interface GroupOutcome {
  /** For each piece of work, in its order, the outcome or the engine's error code. */
  outcomes: { [Kind in WorkKind]: (WorkTypes[Kind]['outcome'] | string)[] };
  /** Deliveries that became the head of their lane. */
  promoted: PromotedDelivery[];
  /** The engine's error code if nothing of the group was written. */
  error: string | null;
  deadLetters: Committed['deadLetters'];
  /** Present if nothing was written, because targets had changed since the plan: plan the events for this version. */
  outdatedPlans?: { targetsVersion: number };
}

interface ChangeResult {
  rows: unknown[][];
  scheduled: DeliveryKey[];
  ended: (Ended | null)[];
  /** Deliveries of erased events that were ended. */
  cancelled: Committed['ended'];
}

export interface PruneResult extends PruneOutcome {
  ended: Committed['ended'];
}

/**
 * `seq` and `receivedAt` are the first event's if this is a duplicate. A tuple for the reason of {@link PackedEvent}.
 */
export type AppendResult = [
  seq: number,
  receivedAt: number,
  isDuplicate: boolean,
  /** The deliveries of a duplicate to the targets that receive duplicates. */
  deliveries?: DuplicateDelivery[],
];

export interface DuplicateDelivery {
  key: DeliveryKey;
  lane: string | null;
}

/** An outcome in which each piece of work has this code. */
export function failAll({ work }: Group, code: string): GroupOutcome {
  const outcomes = WORK_KINDS.map((kind) => [kind, work[kind].map(() => code)]);
  return {
    outcomes: Object.fromEntries(outcomes) as GroupOutcome['outcomes'],
    promoted: [],
    error: code,
    deadLetters: [],
  };
}
