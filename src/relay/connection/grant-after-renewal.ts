import type { Random } from '../ground/random';
import { backOffMs } from './back-off';
import type { Grant } from './grant';
import type { TokenOutcome } from './read-token-response';

/**
 * A rejected client is retried at the longest delay: the operator has to correct it, but a retry also recovers from a
 * mistake on Co-Pilot's side.
 */
const FAILURES_FOR_MAX_DELAY = 20;

/** A longer `Retry-After` is shortened, so that a mistake at Co-Pilot does not last. */
const MAX_ASKED_MS = 3_600_000;

/** When the renewal was sent and when its outcome was known, on the scale of `TimeBounds.latest`. */
export interface RenewalTimes {
  startedAt: number;
  endedAt: number;
}

/** The grant after a renewal. */
export function grantAfterRenewal(
  grant: Grant,
  outcome: TokenOutcome,
  { startedAt, endedAt }: RenewalTimes,
  random: Random,
): Grant {
  if (outcome.kind === 'tokens') {
    const { accessToken, refreshToken, lifetimeSeconds, scopes } = outcome.tokens;
    return {
      ...grant,
      accessToken,
      // The document does not show the response to a refresh (4.2): without a new refresh token the old one is kept.
      refreshToken: refreshToken ?? grant.refreshToken,
      scopes: scopes ?? grant.scopes,
      state: 'valid',
      problem: null,
      // The tokens are issued after the start, so they do not expire earlier than this, even if the clock is set
      // ahead or the machine sleeps meanwhile.
      issuedAt: startedAt,
      expiresAt: startedAt + Math.round(lifetimeSeconds * 1000),
      interruptedAt: null,
      unusedSince: null,
      failures: 0,
      retryAt: null,
    };
  }
  const failures = grant.failures + 1;
  if (outcome.kind === 'grant_rejected') {
    const problem = outcome.reason + likelyCause(grant);
    const cleared = { interruptedAt: null, unusedSince: null, retryAt: null };
    return { ...grant, ...cleared, state: 'consent_needed', problem, failures };
  }
  if (outcome.kind === 'client_rejected') {
    const retryAt = endedAt + backOffMs(FAILURES_FOR_MAX_DELAY, random);
    return { ...grant, state: 'client_rejected', problem: outcome.reason, failures, retryAt };
  }
  const askedMs = outcome.kind === 'no_tokens' ? Math.min(outcome.retryAfterMs, MAX_ASKED_MS) : 0;
  const pauseMs = Math.max(backOffMs(failures, random), askedMs);
  return { ...grant, problem: outcome.reason, failures, retryAt: endedAt + pauseMs };
}

/** Why Co-Pilot may regard the refresh token as used, to be appended to the reason. */
function likelyCause({ interruptedAt, unusedSince }: Grant): string {
  if (interruptedAt !== null) return ', after an interrupted renewal';
  if (unusedSince === null) return '';
  return `, with a refresh token not used here since ${new Date(unusedSince).toISOString()}: if this database was restored from a backup, Co-Pilot may have issued a newer one`;
}
