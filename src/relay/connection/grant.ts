/**
 * `valid`: the tokens are good, or nothing is known against them. `client_refused`: Co-Pilot refuses our client; the
 * refresh token is kept. `consent_needed`: Co-Pilot refuses the grant; only a new consent helps.
 */
export const GRANT_STATES = ['valid', 'client_refused', 'consent_needed'] as const;
type GrantState = (typeof GRANT_STATES)[number];

/** The grant as it is held in memory, tokens in clear: never to be logged or answered. Times are on the scale of `TimeBounds.latest`. */
export interface Grant {
  readonly scopes: readonly string[];
  readonly accessToken: string;
  /** Null where Co-Pilot gave none: the grant then ends with its access token. */
  readonly refreshToken: string | null;
  readonly state: GrantState;
  /** What the last renewal failed of. */
  readonly problem: string | null;
  readonly connectedAt: number;
  /** When the access token was issued. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When a renewal began that the end of the process interrupted; null once one has had its answer. */
  readonly interruptedAt: number | null;
  /**
   * Where the renewal came due while no daemon used this database, until when one did, in ms since 1970 by the wall clock;
   * null once a renewal has had its answer. In a database that was restored the refresh token may be used up.
   */
  readonly unusedSince: number | null;
  /** Renewals that failed since the last that worked. */
  readonly failures: number;
  /** Not before this time is renewal tried again. */
  readonly retryAt: number | null;
}

/** A token is renewed when this part of its life is over, however long it is. */
const RENEW_AFTER = 0.8;

/** When the access token is to be renewed, or null where only a new consent helps. */
export function renewalDueAt(grant: Grant): number | null {
  if (grant.state === 'consent_needed') return null;
  if (grant.retryAt !== null) return grant.retryAt;
  if (grant.state === 'client_refused' || grant.interruptedAt !== null) return 0;
  if (grant.refreshToken === null) return grant.expiresAt;
  return Math.floor(grant.issuedAt + RENEW_AFTER * (grant.expiresAt - grant.issuedAt));
}
