import { RelayError } from '../../ground/relay-error';
import type { Change, DeliveryResult, EventDraft, PlannedDelivery, NotStoredReason } from './journal';
import type { PruneStep } from './prune-step';
import { WORK_KINDS, type Group, type GroupOutcome, type WorkKind, type WorkTypes } from './group';
import { packEvents, packResult, type PlannedEvent } from './packed-rows';

/** A piece of work that is queued for the next group, with callbacks for its outcome. */
interface Work<Input, Outcome> {
  input: Input;
  resolve: (outcome: Outcome) => void;
  /** @param code the engine's error code, `NOT_LEADER` or `NOT_OWNER` */
  reject: (code: string) => void;
}

interface AppendRequest {
  draft: EventDraft;
  plan: () => PlannedDelivery[];
  /** By monotonic time. */
  arrivedAt: number;
  /** Called in place of `resolve` and `reject` if it has become part of no group. */
  onNotStored: (reason: NotStoredReason) => void;
}

interface Inputs {
  append: AppendRequest;
  result: DeliveryResult;
  change: Change;
  prune: PruneStep;
  shrink: number;
}

export type WorkOf<Kind extends WorkKind> = Work<Inputs[Kind], WorkTypes[Kind]['outcome']>;

/** The work of one group, with its callbacks; `Group` is the same without them, packed for the writer. */
export type Batch = { [Kind in WorkKind]: WorkOf<Kind>[] };

export const isEmpty = (batch: Batch) => WORK_KINDS.every((kind) => batch[kind].length === 0);

/** Plans the events now, so that no target can change before the commit, and packs the work for the writer. */
export function packBatch(
  batch: Batch,
  now: number,
  targetsVersion: number | null,
): { group: Group; events: PlannedEvent[]; buffer: ArrayBuffer } {
  const events = batch.append.map(({ input: { draft, plan } }) => ({ draft, planned: plan() }));
  const { rows, buffer } = packEvents(events);
  const work = {
    append: rows,
    result: batch.result.map(({ input }) => packResult(input)),
    change: batch.change.map(({ input }) => input),
    prune: batch.prune.map(({ input }) => input),
    shrink: batch.shrink.map(({ input }) => input),
  };
  return { group: { now, targetsVersion, work }, events, buffer };
}

export function reportOutcomes(
  batch: Batch,
  outcomes: GroupOutcome['outcomes'],
  kinds: readonly WorkKind[],
): void {
  const report = <Kind extends WorkKind>(kind: Kind, works: Batch[Kind]) => {
    for (let i = 0; i < works.length; i += 1) {
      const outcome: WorkTypes[Kind]['outcome'] | string = outcomes[kind][i]!;
      if (typeof outcome === 'string') works[i]!.reject(outcome);
      else works[i]!.resolve(outcome);
    }
  };
  for (const kind of kinds) report(kind, batch[kind]);
}

/** A violated constraint: SQLite's code, or an SQLSTATE of class 23. */
const CONFLICT = /^(SQLITE_CONSTRAINT|23\w{3}$)/;

/** Instead of an engine's code: another daemon leads by now, so the database has refused what this one wrote. */
export const NOT_LEADER = 'not_leader';

/** Likewise: another daemon delivers to the target by now. */
export const NOT_OWNER = 'not_owner';

/** @param code the engine's error code, `NOT_LEADER` or `NOT_OWNER` */
export function storageFailed(code: string): RelayError {
  if (code === NOT_LEADER || code === NOT_OWNER)
    return new RelayError('not_leader', 503, 'Another daemon has taken over; nothing was changed.', {
      remedy: 'Try again.',
      retryAfterSeconds: 1,
    });
  if (CONFLICT.test(code)) {
    return new RelayError('conflict', 409, 'The change conflicts with stored data.', { cause: code });
  }
  return new RelayError('storage_failed', 503, 'The database could not be written; nothing was changed.', {
    remedy: 'Check the disk of the database (space, errors) or its server, then try again.',
    cause: code,
  });
}
