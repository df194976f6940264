import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { Credentials } from './credentials';
import { hashToken } from './hash-token';
import { SESSION_LIFE_MS, sessionOf, type KnownSession, type SessionRow } from './session-row';
import { TokensService } from './tokens.service';

/** 7 days without a request and without an open dashboard. */
const IDLE_LIFE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Last uses are written together, at this pace. */
const WRITE_USES_MS = 60_000;
/** One more ends the one that was not used for the longest time. */
const MOST_SESSIONS = 200;
const TOKEN_BYTES = 32;
const USER_AGENT_CHARACTERS = 200;

/** Whom a session is opened for. */
export type SessionDraft = Pick<KnownSession, 'credential' | 'openedBy' | 'address'> & {
  userAgent: string | undefined;
};

/**
 * The dashboard's logins, kept in memory: one process owns the database. A session has two halves, a token in a cookie and a
 * secret in the page's `localStorage`; of both only the hash is stored.
 */
@Injectable()
export class SessionsService implements OnModuleInit, OnModuleDestroy {
  /** By the hash of their tokens, oldest first. */
  private readonly known = new Map<string, KnownSession>();
  private readonly used = new Set<KnownSession>();
  private readonly listeners: ((sessionId: string) => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly credentials: Credentials,
    private readonly tokens: TokensService,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<SessionRow[]>('SELECT * FROM sessions ORDER BY id');
    for (const row of rows) this.known.set(row.token_hash, sessionOf(row));
    this.tokens.onRevoked((tokenId) => {
      for (const { id, credential } of this.known.values())
        if (credential === tokenId) this.notifyRevoked(id);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.writeUses();
  }

  /** Token and secret are in the answer and nowhere else. Sessions that have ended are cleared away on the occasion. */
  async open({ credential, openedBy, address, userAgent }: SessionDraft) {
    const [token, secret] = [this.newToken(), this.newToken()];
    const now = this.clock.now();
    const session: KnownSession = {
      id: newId('ses', now, this.random),
      tokenHash: hashToken(token),
      secretHash: hashToken(secret),
      credential,
      openedBy,
      address,
      userAgent: userAgent?.slice(0, USER_AGENT_CHARACTERS) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + SESSION_LIFE_MS,
    };
    setAuditSubject({ id: session.id, name: null });
    const gone = this.surplus();
    await this.journal.change([...gone.map(removal), insertion(session)]);
    this.forget(gone);
    this.known.set(session.tokenHash, session);
    this.log.info({ session: session.id, opened_by: openedBy, remote: address }, 'session opened');
    return { id: session.id, expiresAt: this.endOf(session), token, secret };
  }

  /**
   * The session of these halves, or null where there is none or it has ended.
   * @param tokens of each cookie that came under our name: another port of the host may have set one beside ours
   */
  find(tokens: readonly string[], secret: string | undefined): KnownSession | null {
    if (secret === undefined) return null;
    const given = Buffer.from(hashToken(secret));
    const session = this.recognize(tokens, ({ secretHash }) =>
      timingSafeEqual(Buffer.from(secretHash), given),
    );
    if (session !== null) this.noteUse(session);
    return session;
  }

  /** By its cookie alone: enough to name somebody, not to let him in. */
  recognize(tokens: readonly string[], fits?: (session: KnownSession) => boolean): KnownSession | null {
    for (const token of tokens) {
      const session = this.known.get(hashToken(token));
      if (session !== undefined && this.isGood(session) && (fits?.(session) ?? true)) return session;
    }
    return null;
  }

  /** One that was admitted, and may have ended since; null where it was revoked. */
  byId(id: string): KnownSession | null {
    return [...this.known.values()].find((session) => session.id === id) ?? null;
  }

  /** Those that are good, newest first. */
  list(): KnownSession[] {
    return this.good().toReversed();
  }

  /** When it ends, used or not, in ms since 1970. */
  endOf({ expiresAt, credential }: KnownSession): number {
    return Math.min(expiresAt, this.credentials.endOf(credential));
  }

  /** In memory; `writeUses` stores it. */
  noteUse(session: KnownSession): void {
    session.lastUsedAt = this.clock.now();
    this.used.add(session);
  }

  /** Ends a session for good, then tells the listeners. @throws RelayError `session_unknown`, 404 */
  async revoke(id: string): Promise<void> {
    const session = this.byId(id);
    if (session === null || !this.isGood(session)) {
      throw new RelayError('session_unknown', 404, `There is no session ${id}.`, {
        remedy: 'GET /api/v1/sessions lists them; one that has ended is not among them.',
      });
    }
    await this.end([session]);
  }

  /** Ends all of them. */
  async revokeAll(): Promise<void> {
    await this.end([...this.known.values()]);
  }

  /** Told after a session is revoked, so that what it holds open can be closed. */
  onRevoked(listener: (sessionId: string) => void): void {
    this.listeners.push(listener);
  }

  /** Stores when the sessions that were used since the last time were used. */
  @Interval(WRITE_USES_MS)
  async writeUses(): Promise<void> {
    const used = [...this.used];
    if (used.length === 0) return;
    this.used.clear();
    try {
      await this.journal.change(
        used.map(({ id, lastUsedAt }) => [
          'UPDATE sessions SET last_used_at = ? WHERE id = ?',
          [lastUsedAt, id],
        ]),
      );
    } catch (error) {
      for (const session of used) this.used.add(session);
      this.log.warn({ err: error }, 'last uses of sessions not written');
    }
  }

  private async end(sessions: readonly KnownSession[]): Promise<void> {
    await this.journal.change(sessions.map(removal));
    this.forget(sessions);
    this.log.info({ sessions: sessions.map(({ id }) => id) }, 'sessions revoked');
  }

  private forget(sessions: readonly KnownSession[]): void {
    for (const session of sessions) {
      this.known.delete(session.tokenHash);
      this.used.delete(session);
      this.notifyRevoked(session.id);
    }
  }

  private notifyRevoked(id: string): void {
    for (const listener of this.listeners) listener(id);
  }

  private good(): KnownSession[] {
    return [...this.known.values()].filter((session) => this.isGood(session));
  }

  private isGood(session: KnownSession): boolean {
    const now = this.clock.now();
    return now < this.endOf(session) && now < session.lastUsedAt + IDLE_LIFE_MS;
  }

  /** What has to go before one more is opened. */
  private surplus(): KnownSession[] {
    const ended = [...this.known.values()].filter((session) => !this.isGood(session));
    const idlest = this.good().toSorted((one, other) => one.lastUsedAt - other.lastUsedAt);
    return [...ended, ...idlest.slice(0, Math.max(0, idlest.length + 1 - MOST_SESSIONS))];
  }

  private newToken(): string {
    return this.random.bytes(TOKEN_BYTES).toString('base64url');
  }
}

const removal = ({ id }: KnownSession): Statement => ['DELETE FROM sessions WHERE id = ?', [id]];

const insertion = (session: KnownSession): Statement => [
  `INSERT INTO sessions(id, token_hash, secret_hash, credential, opened_by, address, user_agent, created_at, last_used_at, expires_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  [
    session.id,
    session.tokenHash,
    session.secretHash,
    session.credential,
    session.openedBy,
    session.address,
    session.userAgent,
    session.createdAt,
    session.lastUsedAt,
    session.expiresAt,
  ],
];
