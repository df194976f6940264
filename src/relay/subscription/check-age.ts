import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Registrations } from './registrations';

/** How often the webhook is looked after at Co-Pilot. */
export const CHECK_EVERY_MS = 300_000;

/** So many checks in a row without success are more than a passing trouble. */
const CHECKS_MISSED = 3;

/**
 * `none`: there is nothing to be checked, or no id to check it by. `pending`: no check has ended well since the start yet, but
 * it is not long ago. `overdue`: none has for more than three checks, whatever keeps them from it.
 */
export type CheckState = 'none' | 'pending' | 'recent' | 'overdue';

/**
 * How long ago our webhook was found at Co-Pilot. Once that is too long, somebody may have deleted it meanwhile, and nothing
 * would arrive.
 */
@Injectable()
export class CheckAge {
  /** The last check that ended well, and since when it is known, by monotonic time. What was before the start is not counted. */
  private last: { check: string | null; since: number; isNew: boolean };

  constructor(
    private readonly registrations: Registrations,
    private readonly clock: Clock,
  ) {
    this.last = { check: null, since: clock.monotonic(), isNew: false };
    registrations.onChange(() => this.note());
  }

  get state(): CheckState {
    const current = this.registrations.current();
    if (current?.state !== 'active' || current.webhookId === null) return 'none';
    if (this.clock.monotonic() - this.last.since > CHECKS_MISSED * CHECK_EVERY_MS) return 'overdue';
    return this.last.isNew ? 'recent' : 'pending';
  }

  private note(): void {
    const current = this.registrations.current();
    const check = `${current?.id} ${current?.checkedAt}`;
    if (check === this.last.check) return;
    // The first is what the database says.
    this.last = { check, since: this.clock.monotonic(), isNew: this.last.check !== null };
  }
}
