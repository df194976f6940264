import { type Clock, isoTime } from '../clock';
import { type RandomBytes, pickOne, randomBelow } from '../random';
import { USER_IDS } from './sample-data';
import type { Linked } from './records';

/** What every record of a person's work carries. */
export interface CommonFields {
  responsible_user_id: number;
  created_at: string;
  updated_at: string;
}

/** More than are given between two writes of the state, so that an id that a killed process gave is not given again. */
const IDS_SKIPPED_AFTER_RESTART = 100_000;

/**
 * Numbers, dates and links records. No two records share an id and a record's `updated_at` always moves forward, so that
 * no two events are ever the same bytes: notifications carry no id, and a receiver can tell them apart by their bytes only.
 */
export class RecordFactory {
  private lastIssuedId: number;

  /** `baseUrl` is asked for when a link is written, since a free port is known only after the start. */
  constructor(
    private readonly baseUrl: () => string,
    readonly clock: Clock,
    readonly random: RandomBytes,
  ) {
    // Another start begins elsewhere, so that its records are not taken for those of an earlier one.
    this.lastIssuedId = 1_000_000 + randomBelow(random, 9_000_000);
  }

  /** The id given last. */
  get lastId(): number {
    return this.lastIssuedId;
  }

  /** Goes on after the ids of an earlier run. */
  continueAfter(lastId: number): void {
    this.lastIssuedId = lastId + IDS_SKIPPED_AFTER_RESTART;
  }

  /** An id never given before. */
  newId(): number {
    return ++this.lastIssuedId;
  }

  /** The stamps of a record made now, for one of the account's users. */
  commonFields(): CommonFields {
    const now = isoTime(this.clock.now());
    return { responsible_user_id: pickOne(this.random, USER_IDS), created_at: now, updated_at: now };
  }

  /** Changes a record in place. */
  update<T extends CommonFields>(record: T, changes: Partial<NoInfer<T>>): T {
    const later = Math.max(this.clock.now(), Date.parse(record.updated_at) + 1);
    return Object.assign(record, changes, { updated_at: isoTime(later) });
  }

  /** A copy of the record with its address (document, 2.1). */
  withLink<T extends { id: number }>(kind: 'deals' | 'contacts' | 'tasks', record: T): Linked<T> {
    return { ...record, _links: { self: `${this.baseUrl()}/v1/${kind}/${record.id}` } };
  }

  /** A user other than this one. */
  otherUser(userId: number): number {
    const at = USER_IDS.findIndex((id) => id === userId);
    return USER_IDS[(at + 1) % USER_IDS.length] ?? USER_IDS[0];
  }
}
