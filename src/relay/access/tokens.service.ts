import { Injectable, type OnModuleInit } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Page, PageQuery } from '../../contract/page';
import type { Scope, Token, TokenCreate, TokenCreated } from '../../contract/token';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal } from '../database/journal/journal';
import { insert, update } from '../database/journal/statements';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { pageOfList } from './page-of-list';
import { LastUses } from './last-uses';
import { hashToken, isTokenSecret, newTokenSecret } from './token-secret';
import { Signal } from '../ground/signal';
import { isoOrNull } from '../ground/iso-time';

/** How long a revoked token is reported as revoked; after that it is unknown. */
const REVOKED_RETENTION_MS = 90 * 24 * 60 * 60 * 1_000;
const MAX_TOKENS = 200;
const HINT_LENGTH = 4;

/** An API token. Times are in ms since 1970. */
export interface TokenRecord {
  id: string;
  name: string;
  /** Of the secret, which is not stored. */
  hash: string;
  /** The last characters of the secret, by which its owner recognizes it. */
  hint: string;
  scopes: Scope[];
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** The API tokens, held in memory, as one process owns the database: authenticating a request needs no read. */
@Injectable()
export class TokensService implements OnModuleInit {
  /** By a prefix of the hash of their secrets. */
  private readonly tokens = new Map<string, TokenRecord>();
  private readonly revocations = new Signal<[tokenId: string]>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly lastUses: LastUses,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<(Omit<TokenRecord, 'scopes'> & { scopes: string })[]>(SELECT);
    for (const row of rows) this.remember({ ...row, scopes: JSON.parse(row.scopes) as Scope[] });
  }

  /**
   * The token with this secret, even if revoked or expired; null if there is none. It is looked up by a prefix of the
   * hash; the whole hash is compared in constant time.
   */
  find(secret: string): TokenRecord | null {
    if (!isTokenSecret(secret)) return null;
    const hash = hashToken(secret);
    const token = this.tokens.get(keyOf(hash));
    if (token === undefined || !timingSafeEqual(Buffer.from(token.hash), Buffer.from(hash))) return null;
    return token;
  }

  /** Including revoked and expired ones. */
  byId(id: string): TokenRecord | null {
    return [...this.tokens.values()].find((token) => token.id === id) ?? null;
  }

  isExpired({ expiresAt }: TokenRecord): boolean {
    return expiresAt !== null && expiresAt <= this.clock.now();
  }

  recordUse(token: TokenRecord): void {
    this.lastUses.record('api_tokens', token, this.clock.now());
  }

  /** Newest first, without revoked ones. */
  list(query: PageQuery): Page<Token> {
    const newestFirst = [...this.tokens.values()].filter(isNotRevoked).toReversed();
    const { data, next_cursor } = pageOfList(newestFirst, query);
    return { data: data.map((token) => this.present(token)), next_cursor };
  }

  /**
   * Creates a token, whose secret is returned only here, and deletes tokens revoked long ago.
   * @throws RelayError `token_expiry_past`, 422; `too_many_tokens`, 409
   */
  async create({ name, scopes, expires_at: expiresAt }: TokenCreate): Promise<TokenCreated> {
    const now = this.clock.now();
    this.checkNewToken(expiresAt, now);
    const id = newId('tok', now, this.random);
    const secret = newTokenSecret(this.random);
    const fields = { id, name, hint: secret.slice(-HINT_LENGTH) };
    const hash = hashToken(secret);
    setAuditSubject({ id, name });
    await this.journal.change({
      statements: [
        insert('api_tokens', {
          ...fields,
          token_hash: hash,
          scopes: JSON.stringify(scopes),
          created_at: now,
          expires_at: expiresAt,
        }),
        ['DELETE FROM api_tokens WHERE revoked_at <= ?', [now - REVOKED_RETENTION_MS]],
      ],
    });
    const unused = { lastUsedAt: null, revokedAt: null };
    const token: TokenRecord = { ...fields, hash, scopes, createdAt: now, expiresAt, ...unused };
    this.forgetRevoked(now);
    this.remember(token);
    this.log.info({ token: id, name, scopes }, 'API token created');
    return { ...this.present(token), secret };
  }

  /** Revokes a token and notifies the listeners. @throws RelayError `token_unknown`, 404 */
  async revoke(id: string): Promise<void> {
    const token = this.byId(id);
    if (token === null || !isNotRevoked(token)) {
      throw new RelayError('token_unknown', 404, `There is no API token ${id}.`, {
        remedy: 'It may have been revoked. GET /api/v1/tokens lists the others.',
      });
    }
    const now = this.clock.now();
    setAuditSubject(token);
    await this.journal.change({ statements: [update('api_tokens', id, { revoked_at: now })] });
    token.revokedAt = now;
    this.log.info({ token: id, name: token.name }, 'API token revoked');
    this.revocations.emit(id);
  }

  /** Calls `listener` after a token is revoked, to close its sockets. */
  onRevoked(listener: (tokenId: string) => void): void {
    this.revocations.subscribe(listener);
  }

  private checkNewToken(expiresAt: number | null, now: number): void {
    if (expiresAt !== null && expiresAt <= now) {
      throw new RelayError('token_expiry_past', 422, 'expires_at is in the past.', {
        remedy: 'Set expires_at to a time in the future, or to null for a token that does not expire.',
        errors: [{ path: 'expires_at', message: 'This time is in the past.' }],
      });
    }
    if ([...this.tokens.values()].filter(isNotRevoked).length >= MAX_TOKENS) {
      const detail = `There are already ${MAX_TOKENS} API tokens, the maximum.`;
      throw new RelayError('too_many_tokens', 409, detail, {
        remedy: 'Revoke tokens that are no longer used.',
      });
    }
  }

  private remember(token: TokenRecord): void {
    this.tokens.set(keyOf(token.hash), token);
  }

  private forgetRevoked(now: number): void {
    for (const [key, { revokedAt }] of this.tokens) {
      if (revokedAt !== null && revokedAt <= now - REVOKED_RETENTION_MS) this.tokens.delete(key);
    }
  }

  private present(token: TokenRecord): Token {
    const { id, name, scopes, hint, createdAt, expiresAt, lastUsedAt } = token;
    return {
      id,
      name,
      scopes,
      hint,
      state: this.isExpired(token) ? 'expired' : 'active',
      created_at: new Date(createdAt).toISOString(),
      expires_at: isoOrNull(expiresAt),
      last_used_at: isoOrNull(lastUsedAt),
    };
  }
}

const keyOf = (hash: string) => hash.slice(0, 16);

const isNotRevoked = ({ revokedAt }: TokenRecord) => revokedAt === null;

const SELECT = `SELECT id, name, token_hash AS hash, hint, scopes, created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt" FROM api_tokens ORDER BY number`;
