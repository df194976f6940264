import { RelayError } from '../../ground/relay-error';
import type { DeliveryResult, EventDraft, PlannedDelivery, PruneStep, RefusalReason } from '../journal';
import {
  packAppends,
  settleRow,
  WORK_KINDS,
  type Change,
  type Group,
  type GroupOutcome,
  type PlannedEvent,
  type WorkKind,
  type WorkTypes,
} from './group';

/** A piece of work that is queued for the next group, and how to report its outcome. */
interface Work<Input, Outcome> {
  input: Input;
  resolve: (outcome: Outcome) => void;
  /** @param code SQLite's error code */
  reject: (code: string) => void;
}

interface AppendRequest {
  draft: EventDraft;
  plan: () => PlannedDelivery[];
  /** By monotonic time. */
  waitsSince: number;
  refuse: (reason: RefusalReason) => void;
}

interface Inputs {
  append: AppendRequest;
  settle: DeliveryResult;
  change: Change;
  prune: PruneStep;
  shrink: number;
}

export type WorkOf<Kind extends WorkKind> = Work<Inputs[Kind], WorkTypes[Kind]['outcome']>;

/** The work that goes into one group. */
export type Batch = { [Kind in WorkKind]: WorkOf<Kind>[] };

export const isEmpty = (batch: Batch) => WORK_KINDS.every((kind) => batch[kind].length === 0);

/** Plans the events now, so that no target changes in between, and packs the work for the thread that writes. */
export function packBatch(
  batch: Batch,
  dueAt: number,
): { group: Group; events: PlannedEvent[]; buffer: ArrayBuffer } {
  const events = batch.append.map(({ input: { draft, plan } }) => ({ draft, planned: plan() }));
  const { rows, buffer } = packAppends(events);
  const work = {
    append: rows,
    settle: batch.settle.map(({ input }) => settleRow(input)),
    change: batch.change.map(({ input }) => input),
    prune: batch.prune.map(({ input }) => input),
    shrink: batch.shrink.map(({ input }) => input),
  };
  return { group: { dueAt, work }, events, buffer };
}

export function reportOutcomes(batch: Batch, results: GroupOutcome['results']): void {
  const report = <Kind extends WorkKind>(kind: Kind, works: Batch[Kind]) => {
    for (let i = 0; i < works.length; i += 1) {
      const result: WorkTypes[Kind]['outcome'] | string = results[kind][i]!;
      if (typeof result === 'string') works[i]!.reject(result);
      else works[i]!.resolve(result);
    }
  };
  for (const kind of WORK_KINDS) report(kind, batch[kind]);
}

/** @param code SQLite's error code */
export function storageFailed(code: string): RelayError {
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new RelayError('conflict', 409, 'The change contradicts what is stored.', { cause: code });
  }
  return new RelayError('storage_failed', 503, 'The database could not be written; nothing was changed.', {
    remedy: 'Check the disk of DATA_DIR (space, errors), then try again.',
    cause: code,
  });
}
