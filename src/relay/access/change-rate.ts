import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RelayError } from '../ground/relay-error';
import type { Operator } from './operator';

const MOST_A_MINUTE = 600;
const MINUTE_MS = 60_000;

/** How often an API token changes something: as often as it likes, it would push what it did out of the audit log. */
@Injectable()
export class ChangeRate {
  private readonly minutes = new Map<string, { since: number; changes: number }>();

  constructor(private readonly clock: Clock) {}

  /** Counts a change, or says why it is one too many: `too_many_changes`, 429. Whoever may do everything is not counted. */
  refuse({ credentialId, scopes }: Operator): RelayError | null {
    if (credentialId === null || scopes.includes('admin')) return null;
    const now = this.clock.monotonic();
    let minute = this.minutes.get(credentialId);
    if (minute === undefined || now - minute.since >= MINUTE_MS) {
      minute = { since: now, changes: 0 };
      this.minutes.set(credentialId, minute);
    }
    minute.changes += 1;
    if (minute.changes <= MOST_A_MINUTE) return null;
    const detail = `This API token changed something ${MOST_A_MINUTE} times within a minute.`;
    return new RelayError('too_many_changes', 429, detail, {
      remedy: 'Wait before the next one; one request can change many deliveries, dead letters or events.',
      retryAfterSeconds: Math.ceil((minute.since + MINUTE_MS - now) / 1_000),
    });
  }
}
