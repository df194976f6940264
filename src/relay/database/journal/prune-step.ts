import type { Statement } from './statements';

/** The events to remove with what belongs to them; those with unfinished deliveries or dead letters only on request. */
export interface PruneStep {
  seqs: readonly number[];
  /** Dead letters are removed with their events. */
  deadLetters?: boolean;
  /** Unfinished deliveries are cancelled and removed with their events: why, as a sentence, and when. */
  cancel?: { note: string; at: number };
  /** Identities from before this (ms since 1970) are removed; if null, those older than the oldest event. */
  removeIdentitiesBefore: number | null;
  /** Run before the removal, in its transaction: the table `REMOVED_EVENTS` has the `seq`s of the events. */
  beforeRemoval?: Statement[];
}

/** What decides whether an event may be removed. */
export interface PrunableEvent {
  seq: number;
  unfinished: 0 | 1;
  deadLetters: number;
}

export interface PruneOutcome {
  removed: number;
  /** Dead letters that were removed with their events. */
  deadLetters: number;
  /** Unfinished deliveries that were cancelled and removed with their events. */
  cancelled: number;
  /** After this step. */
  size: DatabaseSize;
}

/** Of the file; on PostgreSQL about that of the events, without the space that removed rows have left for others. */
export interface DatabaseSize {
  usedBytes: number;
  freeBytes: number;
  /** Whether more events are to be counted. */
  isIncomplete?: boolean;
}
