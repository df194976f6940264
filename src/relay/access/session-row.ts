import type { OpenSession } from '../../contract/session';

/** 30 days. */
export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;

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

/** A session as the daemon knows it: by the hashes of its two halves. Times are ms since 1970. */
export interface KnownSession {
  id: string;
  tokenHash: string;
  secretHash: string;
  /** What stands behind it; see `Credentials`. */
  credential: string;
  openedBy: OpenSession['opened_by'];
  /** Of the client that opened it. */
  address: string;
  userAgent: string | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

export const sessionOf = (row: SessionRow): KnownSession => ({
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
