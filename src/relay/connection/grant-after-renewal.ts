import type { Random } from '../ground/random';
import { backOffMs } from './back-off';
import type { Grant } from './grant';
import type { TokenOutcome } from './read-token-answer';

/** Where our client is refused, somebody must act; asking seldom still notices when it was Co-Pilot's own mistake. */
const MANY_FAILURES = 20;

/** What a renewal makes of the grant. `now`: when its answer came, on the scale of `TimeBounds.latest`. */
export function grantAfter(grant: Grant, outcome: TokenOutcome, now: number, random: Random): Grant {
  if (outcome.kind === 'tokens') {
    const { accessToken, refreshToken, lifeSeconds, scopes } = outcome.tokens;
    return {
      ...grant,
      accessToken,
      // The answer to a refresh is not shown (document, 4.2): without a new refresh token the old one stays.
      refreshToken: refreshToken ?? grant.refreshToken,
      scopes: scopes ?? grant.scopes,
      state: 'valid',
      problem: null,
      issuedAt: now,
      expiresAt: now + Math.round(lifeSeconds * 1000),
      interruptedAt: null,
      unusedSince: null,
      failures: 0,
      retryAt: null,
    };
  }
  const failures = grant.failures + 1;
  if (outcome.kind === 'grant_refused') {
    const problem = outcome.why + circumstancesOf(grant);
    const over = { interruptedAt: null, unusedSince: null, retryAt: null };
    return { ...grant, ...over, state: 'consent_needed', problem, failures };
  }
  if (outcome.kind === 'client_refused') {
    const retryAt = now + backOffMs(MANY_FAILURES, random);
    return { ...grant, state: 'client_refused', problem: outcome.why, failures, retryAt };
  }
  return { ...grant, problem: outcome.why, failures, retryAt: now + backOffMs(failures, random) };
}

/** What makes it likely that the refresh token was used before, as half a sentence. */
function circumstancesOf({ interruptedAt, unusedSince }: Grant): string {
  if (interruptedAt !== null) return ', after an interrupted renewal';
  if (unusedSince === null) return '';
  return `, with a refresh token that was not used here since ${new Date(unusedSince).toISOString()}: if this database was restored from a backup, a newer one was issued after that`;
}
