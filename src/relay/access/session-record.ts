import type { OpenSession } from '../../contract/session';

/** A session ends this long after the login, however often it is used. Unused ones end earlier. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * A session has two halves: a token in a cookie, and a secret in the `localStorage` of the page. Only their hashes
 * are stored. Times are in ms since 1970.
 */
export interface SessionRecord {
  id: string;
  tokenHash: string;
  secretHash: string;
  /** What it was opened with: the id of an API token, or the fingerprint of the admin token. */
  credential: string;
  openedBy: OpenSession['opened_by'];
  /** Remote address of the client that opened it. */
  address: string;
  userAgent: string | null;
  createdAt: number;
  lastUsedAt: number;
  /** The login plus `SESSION_LIFETIME_MS`. */
  expiresAt: number;
}
