import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Registrations } from './registrations';

/** How often the webhook is checked at Co-Pilot. */
export const CHECK_INTERVAL_MS = 300_000;

/** Failed checks in a row that are more than a transient problem. */
const MAX_MISSED_CHECKS = 3;

/**
 * `none`: there is no webhook to check, or its id is unknown. `pending`: no check has succeeded since
 * startup, which is recent. `overdue`: no check has succeeded for more than three intervals.
 */
export type CheckState = 'none' | 'pending' | 'recent' | 'overdue';

/**
 * How long ago our webhook was seen at Co-Pilot. If that is too long ago, it may have been deleted, and
 * nothing would arrive.
 */
@Injectable()
export class CheckAge {
  /**
   * The last successful check, and since when it is known (monotonic). Checks before startup do not count.
   */
  private last: { check: string | null; since: number; isNew: boolean };

  constructor(
    private readonly registrations: Registrations,
    private readonly clock: Clock,
  ) {
    this.last = { check: null, since: clock.monotonic(), isNew: false };
    registrations.onChange(() => this.update());
  }

  get state(): CheckState {
    const current = this.registrations.current();
    if (current?.state !== 'active' || current.webhookId === null) return 'none';
    if (this.clock.monotonic() - this.last.since > MAX_MISSED_CHECKS * CHECK_INTERVAL_MS) return 'overdue';
    return this.last.isNew ? 'recent' : 'pending';
  }

  private update(): void {
    const current = this.registrations.current();
    const check = `${current?.id} ${current?.checkedAt}`;
    if (check === this.last.check) return;
    // The first value comes from the database.
    this.last = { check, since: this.clock.monotonic(), isNew: this.last.check !== null };
  }
}
