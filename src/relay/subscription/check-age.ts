import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RegistrationStore } from './registration.store';

/** How often the webhook is checked at Co-Pilot. */
export const CHECK_INTERVAL_MS = 300_000;

/** So many missed checks in a row are considered a transient problem; one more is reported. */
const MAX_MISSED_CHECKS = 3;

/**
 * `none`: there is no webhook to check, or its id is unknown. `pending`: no check has succeeded since startup, less
 * than three intervals ago. `recent`: a check has succeeded within three intervals. `overdue`: none has.
 */
export type CheckState = 'none' | 'pending' | 'recent' | 'overdue';

/**
 * How long ago our webhook was seen at Co-Pilot. If that is too long ago, it may have been deleted, and nothing would
 * arrive.
 */
@Injectable()
export class CheckAge {
  /**
   * The last successful check: a text that identifies it; when it was noticed, or else this process started, by
   * monotonic time; and whether this process made it.
   */
  private last: { id: string | null; noticedAt: number; isOwn: boolean };

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly clock: Clock,
  ) {
    this.last = { id: null, noticedAt: clock.monotonic(), isOwn: false };
    registrations.onChange(() => this.update());
  }

  get state(): CheckState {
    const current = this.registrations.current();
    if (current?.state !== 'active' || current.webhookId === null) return 'none';
    if (this.clock.monotonic() - this.last.noticedAt > MAX_MISSED_CHECKS * CHECK_INTERVAL_MS)
      return 'overdue';
    return this.last.isOwn ? 'recent' : 'pending';
  }

  private update(): void {
    const current = this.registrations.current();
    const id = `${current?.id} ${current?.checkedAt}`;
    if (id === this.last.id) return;
    // The first value was read from the database, so it is not a check of this process.
    this.last = { id, noticedAt: this.clock.monotonic(), isOwn: this.last.id !== null };
  }
}
