import type { DeliveryKey } from '../ids';
import type {
  DeliveryResult,
  EventDraft,
  PruneOutcome,
  PruneStep,
  ScheduleDraft,
  Statement,
} from './journal';

/** What goes into one transaction, as it crosses to the thread that writes. */
export interface Group {
  appends: { draft: EventDraft; targets: number[] }[];
  settles: DeliveryResult[];
  changes: { statements: Statement[]; schedule: ScheduleDraft[] }[];
  prune: PruneStep | null;
}

/** One outcome for each part of a group, in its order. */
export interface GroupOutcome {
  appends: AppendResult[];
  settles: Failure[];
  changes: ({ rows: unknown[][]; scheduled: DeliveryKey[] } | { failed: string })[];
  pruned: PruneOutcome | null;
}

export type AppendResult =
  | { status: 'accepted' | 'duplicate'; seq: number; receivedAt: number }
  | { status: 'refused'; cause: string };

/** SQLite's error code, or null where all went well. */
export type Failure = string | null;
