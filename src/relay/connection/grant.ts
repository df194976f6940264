/**
 * `valid`: the tokens are accepted, as far as known. `client_rejected`: Co-Pilot rejects our client; the refresh
 * token is kept. `consent_needed`: Co-Pilot rejects the grant; a new consent is required.
 */
export const GRANT_STATES = ['valid', 'client_rejected', 'consent_needed'] as const;

/**
 * The grant in memory, with tokens in plain text: never log or return it. Times are on the scale of
 * `TimeBounds.latest`.
 */
export interface Grant {
  readonly scopes: readonly string[];
  readonly accessToken: string;
  /** Null if Co-Pilot issued none: the grant then ends with its access token. */
  readonly refreshToken: string | null;
  readonly state: (typeof GRANT_STATES)[number];
  /** Why the last renewal failed. */
  readonly problem: string | null;
  readonly connectedAt: number;
  /** When the access token was issued. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /**
   * When a renewal started that was interrupted by the end of the process; null once a renewal has received a
   * response.
   */
  readonly interruptedAt: number | null;
  /**
   * When the database was last used, in ms since 1970 by the wall clock, if the renewal came due while no daemon used
   * it; null otherwise, and once a renewal has received a response. In a restored database the refresh token may be
   * used up.
   */
  readonly unusedSince: number | null;
  /** Consecutive failed renewals. */
  readonly failures: number;
  /** The earliest time of the next renewal. */
  readonly retryAt: number | null;
}

/** A token is renewed after this fraction of its lifetime. */
const RENEW_AT_FRACTION = 0.8;

/** When the access token is due for renewal, or null if a new consent is required. */
export function renewalDueAt(grant: Grant): number | null {
  if (grant.state === 'consent_needed') return null;
  if (grant.retryAt !== null) return grant.retryAt;
  if (grant.state === 'client_rejected' || grant.interruptedAt !== null) return 0;
  if (grant.refreshToken === null) return grant.expiresAt;
  return Math.floor(grant.issuedAt + RENEW_AT_FRACTION * (grant.expiresAt - grant.issuedAt));
}
