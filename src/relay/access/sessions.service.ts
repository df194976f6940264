import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { concerns } from '../current-act';
import { Journal } from '../database/journal';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { hashToken } from './hash-token';
import { SessionEntity } from './session.entity';

/** 30 days. */
export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url; anything else is not worth a read. */
const TOKEN = /^[\w-]{43}$/;

/** A session as the daemon knows it: by the hash of its token, which is no secret. Times are ms since 1970. */
export interface KnownSession {
  id: string;
  expiresAt: number;
}

const NAME_CHARACTERS = 8;

/** Enough of a session's id to tell two of them apart. */
export const sessionName = (id: string): string => id.slice(0, NAME_CHARACTERS);

/**
 * The dashboard's logins. What was looked up once stays in memory, which is right because nobody else revokes: one
 * process owns the database.
 */
@Injectable()
export class SessionsService {
  private readonly known = new Map<string, KnownSession>();
  private revocations = 0;
  private readonly listeners: ((sessionId: string) => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The token is in the answer and nowhere else. Expired sessions are cleared away on the occasion. */
  async open(via: 'link' | 'token'): Promise<KnownSession & { token: string }> {
    const token = this.random.bytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const session = { id: hashToken(token), expiresAt: now + SESSION_LIFE_MS };
    concerns({ id: sessionName(session.id), name: null });
    await this.journal.change([
      ['DELETE FROM sessions WHERE expires_at <= ?', [now]],
      [
        'INSERT INTO sessions(token_hash, created_at, expires_at) VALUES (?, ?, ?)',
        [session.id, now, session.expiresAt],
      ],
    ]);
    this.log.info({ session: session.id, via }, 'session opened');
    return { ...session, token };
  }

  /** Null where there is no such session, or it has expired. */
  async find(token: string): Promise<KnownSession | null> {
    if (!TOKEN.test(token)) return null;
    const id = hashToken(token);
    const session = this.known.get(id) ?? (await this.read(id));
    if (session === null || session.expiresAt > this.clock.now()) return session;
    this.known.delete(id);
    return null;
  }

  /** Ends a session for good, then tells the listeners. */
  async revoke(id: string): Promise<void> {
    await this.journal.change([['DELETE FROM sessions WHERE token_hash = ?', [id]]]);
    this.revocations += 1;
    this.known.delete(id);
    this.log.info({ session: id }, 'session revoked');
    for (const listener of this.listeners) listener(id);
  }

  /** Told after a session is revoked, so that what it holds open can be closed. */
  onRevoked(listener: (sessionId: string) => void): void {
    this.listeners.push(listener);
  }

  /** What was read while a session was being revoked may be that session: it is read again, not remembered. */
  private async read(id: string): Promise<KnownSession | null> {
    const before = this.revocations;
    const stored = await this.source.getRepository(SessionEntity).findOneBy({ tokenHash: id });
    if (this.revocations !== before) return this.read(id);
    if (stored === null) return null;
    const session = { id, expiresAt: stored.expiresAt };
    this.known.set(id, session);
    return session;
  }
}
