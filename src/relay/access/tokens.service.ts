import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Page, PageQuery } from '../../contract/page';
import type { Scope, Token, TokenCreate, TokenCreated } from '../../contract/token';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { hashToken } from './hash-token';
import { pageOfList } from './page-of-list';
import { isTokenSecret, newTokenSecret } from './token-secret';

/** Last uses are written together, at this pace. */
const WRITE_USES_MS = 60_000;
/** A revoked token is told so for this long; then it is as unknown as any other. */
const REMEMBER_REVOKED_MS = 90 * 24 * 60 * 60 * 1_000;
const MOST_TOKENS = 200;
const HINT_CHARACTERS = 4;

interface TokenRow {
  id: string;
  name: string;
  token_hash: string;
  hint: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface KnownToken {
  id: string;
  name: string;
  hash: string;
  hint: string;
  scopes: Scope[];
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/**
 * The API tokens, kept in memory: one process owns the database, and a request is let in without a read. Times are ms since
 * 1970.
 */
@Injectable()
export class TokensService implements OnModuleInit, OnModuleDestroy {
  /** By the beginning of the hash of their secrets. */
  private readonly tokens = new Map<string, KnownToken>();
  private readonly used = new Set<KnownToken>();
  private readonly listeners: ((tokenId: string) => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<TokenRow[]>('SELECT * FROM api_tokens ORDER BY number');
    for (const row of rows) this.remember(knownOf(row));
  }

  async onModuleDestroy(): Promise<void> {
    await this.writeUses();
  }

  /**
   * The token behind a secret, revoked and expired ones too; null where there is none. The beginning of the hash finds it, the
   * whole is compared in constant time.
   */
  find(secret: string): KnownToken | null {
    if (!isTokenSecret(secret)) return null;
    const hash = hashToken(secret);
    const token = this.tokens.get(keyOf(hash));
    if (token === undefined || !timingSafeEqual(Buffer.from(token.hash), Buffer.from(hash))) return null;
    return token;
  }

  /** Revoked and expired ones too. */
  byId(id: string): KnownToken | null {
    return [...this.tokens.values()].find((token) => token.id === id) ?? null;
  }

  isExpired({ expiresAt }: KnownToken): boolean {
    return expiresAt !== null && expiresAt <= this.clock.now();
  }

  /** In memory; `writeUses` stores it. */
  noteUse(token: KnownToken): void {
    token.lastUsedAt = this.clock.now();
    this.used.add(token);
  }

  /** Newest first, without those that were revoked. */
  list(wanted: PageQuery): Page<Token> {
    const newest = [...this.tokens.values()].filter(isActive).toReversed();
    const { data, next_cursor } = pageOfList(newest, wanted);
    return { data: data.map((token) => this.present(token)), next_cursor };
  }

  /**
   * The secret is in the answer and nowhere else.
   * @throws RelayError `token_expiry_past`, 422; `too_many_tokens`, 409
   */
  async create({ name, scopes, expires_at: expiresAt }: TokenCreate): Promise<TokenCreated> {
    const now = this.clock.now();
    this.assertCreatable(expiresAt, now);
    const id = newId('tok', now, this.random);
    const secret = newTokenSecret(this.random);
    const hint = secret.slice(-HINT_CHARACTERS);
    const hash = hashToken(secret);
    setAuditSubject({ id, name });
    await this.journal.change([
      [
        `INSERT INTO api_tokens(id, name, token_hash, hint, scopes, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [id, name, hash, hint, JSON.stringify(scopes), now, expiresAt],
      ],
      ['DELETE FROM api_tokens WHERE revoked_at <= ?', [now - REMEMBER_REVOKED_MS]],
    ]);
    const token: KnownToken = {
      id,
      name,
      hash,
      hint,
      scopes,
      createdAt: now,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    };
    this.forgetRevoked(now);
    this.remember(token);
    this.log.info({ token: id, name, scopes }, 'API token made');
    return { ...this.present(token), secret };
  }

  /** Ends a token for good, then tells the listeners. @throws RelayError `token_unknown`, 404 */
  async revoke(id: string): Promise<void> {
    const token = this.byId(id);
    if (token === null || !isActive(token)) {
      throw new RelayError('token_unknown', 404, `There is no API token ${id}.`, {
        remedy: 'GET /api/v1/tokens lists them; a token that was revoked is not among them.',
      });
    }
    const now = this.clock.now();
    setAuditSubject(token);
    await this.journal.change([['UPDATE api_tokens SET revoked_at = ? WHERE id = ?', [now, id]]]);
    token.revokedAt = now;
    this.log.info({ token: id, name: token.name }, 'API token revoked');
    for (const listener of this.listeners) listener(id);
  }

  /** Told after a token is revoked, so that what it holds open can be closed. */
  onRevoked(listener: (tokenId: string) => void): void {
    this.listeners.push(listener);
  }

  /** Stores when the tokens that were used since the last time were used. */
  @Interval(WRITE_USES_MS)
  async writeUses(): Promise<void> {
    const used = [...this.used];
    if (used.length === 0) return;
    this.used.clear();
    try {
      await this.journal.change(
        used.map(({ id, lastUsedAt }) => [
          'UPDATE api_tokens SET last_used_at = ? WHERE id = ?',
          [lastUsedAt, id],
        ]),
      );
    } catch (error) {
      for (const token of used) this.used.add(token);
      this.log.warn({ err: error }, 'last uses of API tokens not written');
    }
  }

  private assertCreatable(expiresAt: number | null, now: number): void {
    if (expiresAt !== null && expiresAt <= now) {
      throw new RelayError('token_expiry_past', 422, 'The token would have expired already.', {
        remedy: 'Give a time to come as expires_at, or null for a token that does not expire.',
        errors: [{ path: 'expires_at', message: 'This time is past.' }],
      });
    }
    if ([...this.tokens.values()].filter(isActive).length >= MOST_TOKENS) {
      throw new RelayError(
        'too_many_tokens',
        409,
        `There are ${MOST_TOKENS} API tokens, and no more are kept.`,
        {
          remedy: 'Revoke those that are not used.',
        },
      );
    }
  }

  private remember(token: KnownToken): void {
    this.tokens.set(keyOf(token.hash), token);
  }

  private forgetRevoked(now: number): void {
    for (const [key, { revokedAt }] of this.tokens) {
      if (revokedAt !== null && revokedAt <= now - REMEMBER_REVOKED_MS) this.tokens.delete(key);
    }
  }

  private present(token: KnownToken): Token {
    const { id, name, scopes, hint, createdAt, expiresAt, lastUsedAt } = token;
    return {
      id,
      name,
      scopes,
      hint,
      state: this.isExpired(token) ? 'expired' : 'active',
      created_at: new Date(createdAt).toISOString(),
      expires_at: instantOf(expiresAt),
      last_used_at: instantOf(lastUsedAt),
    };
  }
}

const keyOf = (hash: string) => hash.slice(0, 16);

const isActive = ({ revokedAt }: KnownToken) => revokedAt === null;

const instantOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function knownOf(row: TokenRow): KnownToken {
  return {
    id: row.id,
    name: row.name,
    hash: row.token_hash,
    hint: row.hint,
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
