import type { Random } from '../ground/random';
import { backOffMs } from './back-off';
import type { Grant } from './grant';
import type { TokenOutcome } from './read-token-response';

/** A rejected client needs the operator; rare retries still recover from a mistake on Co-Pilot's side. */
const MANY_FAILURES = 20;

/** The grant after a renewal. `now`: when the response arrived, on the scale of `TimeBounds.latest`. */
export function grantAfterRenewal(grant: Grant, outcome: TokenOutcome, now: number, random: Random): Grant {
  if (outcome.kind === 'tokens') {
    const { accessToken, refreshToken, lifetimeSeconds, scopes } = outcome.tokens;
    return {
      ...grant,
      accessToken,
      // The document does not show the response to a refresh (4.2): without a new refresh token the old one
      // is kept.
      refreshToken: refreshToken ?? grant.refreshToken,
      scopes: scopes ?? grant.scopes,
      state: 'valid',
      problem: null,
      issuedAt: now,
      expiresAt: now + Math.round(lifetimeSeconds * 1000),
      interruptedAt: null,
      unusedSince: null,
      failures: 0,
      retryAt: null,
    };
  }
  const failures = grant.failures + 1;
  if (outcome.kind === 'grant_refused') {
    const problem = outcome.reason + likelyCause(grant);
    const cleared = { interruptedAt: null, unusedSince: null, retryAt: null };
    return { ...grant, ...cleared, state: 'consent_needed', problem, failures };
  }
  if (outcome.kind === 'client_refused') {
    const retryAt = now + backOffMs(MANY_FAILURES, random);
    return { ...grant, state: 'client_refused', problem: outcome.reason, failures, retryAt };
  }
  return { ...grant, problem: outcome.reason, failures, retryAt: now + backOffMs(failures, random) };
}

/** Why the refresh token may have been used before, as a subordinate clause. */
function likelyCause({ interruptedAt, unusedSince }: Grant): string {
  if (interruptedAt !== null) return ', after an interrupted renewal';
  if (unusedSince === null) return '';
  return `, with a refresh token not used here since ${new Date(unusedSince).toISOString()}: if this database was restored from a backup, Co-Pilot may have issued a newer one`;
}
