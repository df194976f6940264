import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RelayError } from '../ground/relay-error';
import type { Operator } from './operator';

const MAX_CHANGES_PER_MINUTE = 600;
const WINDOW_MS = 60_000;

/**
 * Limits the changes of an API token or user: without a limit they could push their own actions out of the audit log.
 */
@Injectable()
export class ChangeRateLimit {
  private readonly windows = new Map<string, { startedAt: number; changes: number }>();

  constructor(private readonly clock: Clock) {}

  /** Counts a change. Returns `too_many_changes`, 429, above the limit. Operators with `admin` are not limited. */
  count({ via, credentialId, scopes }: Operator): RelayError | null {
    if (credentialId === null || scopes.includes('admin')) return null;
    const now = this.clock.monotonic();
    let window = this.windows.get(credentialId);
    if (window === undefined || now - window.startedAt >= WINDOW_MS) {
      window = { startedAt: now, changes: 0 };
      this.windows.set(credentialId, window);
    }
    window.changes += 1;
    if (window.changes <= MAX_CHANGES_PER_MINUTE) return null;
    const detail = `This ${via === 'user' ? 'user' : 'API token'} has made ${MAX_CHANGES_PER_MINUTE} changes within a minute, which is the limit.`;
    return new RelayError('too_many_changes', 429, detail, {
      remedy: 'Retry later. A single request can change many deliveries, dead letters or events.',
      retryAfterSeconds: Math.ceil((window.startedAt + WINDOW_MS - now) / 1_000),
    });
  }
}
