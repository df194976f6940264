import { Injectable, type OnModuleInit } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { OpenSession } from '../../contract/session';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { Credentials } from './credentials';
import { LastUses } from './last-uses';
import { hashToken } from './token-secret';
import { TokensService } from './tokens.service';
import { Signal } from '../ground/signal';

/** A session ends this long after the login, however often it is used. Unused ones end earlier. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;
/** A session ends after this time without a request and without an open dashboard. */
const IDLE_TIMEOUT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Beyond this the least recently used one is ended. */
const MAX_SESSIONS = 200;
const TOKEN_BYTES = 32;
const MAX_USER_AGENT_LENGTH = 200;

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

type SessionDraft = Pick<SessionRecord, 'credential' | 'openedBy' | 'address'> & {
  userAgent: string | undefined;
};

/** The dashboard's sessions, held in memory, as one process owns the database. */
@Injectable()
export class SessionsService implements OnModuleInit {
  /** By the hash of their tokens, oldest first. */
  private readonly sessions = new Map<string, SessionRecord>();
  private readonly revocations = new Signal<[sessionId: string]>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly credentials: Credentials,
    private readonly tokens: TokensService,
    private readonly lastUses: LastUses,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const session of await this.source.query<SessionRecord[]>(SELECT))
      this.sessions.set(session.tokenHash, session);
    this.tokens.onRevoked((tokenId) => {
      for (const { id, credential } of this.sessions.values())
        if (credential === tokenId) this.revocations.emit(id);
    });
  }

  /**
   * Opens a session, whose token and secret are returned only here. Deletes ended sessions and, at the limit, the
   * least recently used one.
   */
  async open({ credential, openedBy, address, userAgent }: SessionDraft) {
    const [token, secret] = [this.newToken(), this.newToken()];
    const now = this.clock.now();
    const session: SessionRecord = {
      id: newId('ses', now, this.random),
      tokenHash: hashToken(token),
      secretHash: hashToken(secret),
      credential,
      openedBy,
      address,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + SESSION_LIFETIME_MS,
    };
    setAuditSubject({ id: session.id, name: null });
    const evicted = this.sessionsToEvict();
    await this.journal.change({ statements: [...evicted.map(deletion), insertion(session)] });
    this.forget(evicted);
    this.sessions.set(session.tokenHash, session);
    this.log.info({ session: session.id, opened_by: openedBy, remote: address }, 'session opened');
    return { id: session.id, expiresAt: this.expiryOf(session), token, secret };
  }

  /**
   * The session with these halves; null if there is none or it has ended.
   * @param tokens of all cookies under our name: another port of the host may have set one, too
   */
  find(tokens: readonly string[], secret: string | undefined): SessionRecord | null {
    if (secret === undefined) return null;
    const hash = Buffer.from(hashToken(secret));
    const session = this.identify(tokens, ({ secretHash }) => timingSafeEqual(Buffer.from(secretHash), hash));
    if (session !== null) this.recordUse(session);
    return session;
  }

  /** By its cookie alone, which identifies somebody but must not authorize. */
  identify(tokens: readonly string[], matches?: (session: SessionRecord) => boolean): SessionRecord | null {
    for (const token of tokens) {
      const session = this.sessions.get(hashToken(token));
      if (session !== undefined && this.isActive(session) && (matches?.(session) ?? true)) return session;
    }
    return null;
  }

  /** A session that was admitted and may have ended since; null if it was revoked. */
  byId(id: string): SessionRecord | null {
    return [...this.sessions.values()].find((session) => session.id === id) ?? null;
  }

  /** The active sessions, newest first. */
  list(): SessionRecord[] {
    return this.active().toReversed();
  }

  /** When it ends even if it is used, in ms since 1970. */
  expiryOf({ expiresAt, credential }: SessionRecord): number {
    return Math.min(expiresAt, this.credentials.expiryOf(credential));
  }

  recordUse(session: SessionRecord): void {
    this.lastUses.record('sessions', session, this.clock.now());
  }

  /** Ends a session and notifies the listeners. @throws RelayError `session_unknown`, 404 */
  async revoke(id: string): Promise<void> {
    const session = this.byId(id);
    if (session === null || !this.isActive(session)) {
      throw new RelayError('session_unknown', 404, `There is no session ${id}.`, {
        remedy: 'It may have ended. GET /api/v1/sessions lists the active ones.',
      });
    }
    await this.removeAll([session]);
  }

  async revokeAll(): Promise<void> {
    await this.removeAll([...this.sessions.values()]);
  }

  /** Calls `listener` after a session is revoked, to close its sockets. */
  onRevoked(listener: (sessionId: string) => void): void {
    this.revocations.subscribe(listener);
  }

  private async removeAll(sessions: readonly SessionRecord[]): Promise<void> {
    await this.journal.change({ statements: sessions.map(deletion) });
    this.forget(sessions);
    this.log.info({ sessions: sessions.map(({ id }) => id) }, 'sessions revoked');
  }

  private forget(sessions: readonly SessionRecord[]): void {
    for (const session of sessions) {
      this.sessions.delete(session.tokenHash);
      this.lastUses.forget(session);
      this.revocations.emit(session.id);
    }
  }

  private active(): SessionRecord[] {
    return [...this.sessions.values()].filter((session) => this.isActive(session));
  }

  private isActive(session: SessionRecord): boolean {
    const now = this.clock.now();
    return now < this.expiryOf(session) && now < session.lastUsedAt + IDLE_TIMEOUT_MS;
  }

  /** Ended sessions, and the least recently used ones if there would be too many. */
  private sessionsToEvict(): SessionRecord[] {
    const ended = [...this.sessions.values()].filter((session) => !this.isActive(session));
    const byLastUse = this.active().toSorted((one, other) => one.lastUsedAt - other.lastUsedAt);
    return [...ended, ...byLastUse.slice(0, Math.max(0, byLastUse.length + 1 - MAX_SESSIONS))];
  }

  private newToken(): string {
    return this.random.bytes(TOKEN_BYTES).toString('base64url');
  }
}

const deletion = ({ id }: SessionRecord): Statement => ['DELETE FROM sessions WHERE id = ?', [id]];

const insertion = (session: SessionRecord): Statement => [
  `INSERT INTO sessions(id, token_hash, secret_hash, credential, opened_by, address, user_agent, created_at, last_used_at, expires_at)
   VALUES (@id, @tokenHash, @secretHash, @credential, @openedBy, @address, @userAgent, @createdAt, @lastUsedAt, @expiresAt)`,
  [{ ...session }],
];

const SELECT = `SELECT id, token_hash AS "tokenHash", secret_hash AS "secretHash", credential, opened_by AS "openedBy", address,
  user_agent AS "userAgent", created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"
  FROM sessions ORDER BY id`;
