import { type Clock, isoTime } from '../clock';
import { type RandomBytes, pickOne, randomBelow } from '../random';
import { USER_IDS } from './sample-data';
import type { CommonFields } from './records';

/** More ids than are issued between two saves, so that ids issued just before a crash are not reused. */
const IDS_SKIPPED_AFTER_RESTART = 100_000;

/**
 * Assigns ids, users and timestamps to records. Ids are unique and `updated_at` always increases, so that no two
 * events have the same bytes: notifications carry no id, so receivers can only distinguish them by their bytes.
 */
export class RecordFactory {
  private lastIssuedId: number;

  /** `baseUrl` is a function because the port may be known only once the server is listening. */
  constructor(
    readonly baseUrl: () => string,
    readonly clock: Clock,
    readonly random: RandomBytes,
  ) {
    // Random, so that two runs without saved state do not issue the same ids.
    this.lastIssuedId = 1_000_000 + randomBelow(random, 9_000_000);
  }

  get lastId(): number {
    return this.lastIssuedId;
  }

  /** Continues after the ids of an earlier run. */
  continueAfter(lastId: number): void {
    this.lastIssuedId = lastId + IDS_SKIPPED_AFTER_RESTART;
  }

  newId(): number {
    return ++this.lastIssuedId;
  }

  /** For a record created now, assigned to a random user. */
  commonFields(): CommonFields {
    const now = isoTime(this.clock.now());
    return { responsible_user_id: pickOne(this.random, USER_IDS), created_at: now, updated_at: now };
  }

  /** Changes a record in place. */
  update<T extends CommonFields>(record: T, changes: Partial<NoInfer<T>>): T {
    const updatedAtMs = Math.max(this.clock.now(), Date.parse(record.updated_at) + 1);
    return Object.assign(record, changes, { updated_at: isoTime(updatedAtMs) });
  }

  /** The next user in the list, which is always another one. */
  otherUser(userId: number): number {
    const at = USER_IDS.findIndex((id) => id === userId);
    return USER_IDS[(at + 1) % USER_IDS.length] ?? USER_IDS[0];
  }
}
