import type { OpenSession } from '../../contract/session';

/** A session ends this long after the login, however often it is used. Unused ones end earlier. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

export interface SessionRow {
  id: string;
  token_hash: string;
  secret_hash: string;
  credential: string;
  opened_by: OpenSession['opened_by'];
  address: string;
  user_agent: string | null;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

/**
 * A session has two halves: a token in a cookie, and a secret in the `localStorage` of the page. Only their
 * hashes are stored. Times are in ms since 1970.
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

export const sessionRecordOf = (row: SessionRow): SessionRecord => ({
  id: row.id,
  tokenHash: row.token_hash,
  secretHash: row.secret_hash,
  credential: row.credential,
  openedBy: row.opened_by,
  address: row.address,
  userAgent: row.user_agent,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
});
