import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LoginLink } from '../../contract/session';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { Credentials } from './credentials';
import { hashToken } from './hash-token';

/** 15 minutes. */
const LINK_LIFE_MS = 15 * 60 * 1_000;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** Links that log a browser in, once. Their tokens are stored hashed and never logged. */
@Injectable()
export class LoginLinksService {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly publicAddress: PublicAddress,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly credentials: Credentials,
    private readonly log: Log,
  ) {}

  /**
   * Expired links are cleared away on the occasion.
   * @param credential what stands behind the session that the link opens
   */
  async create(credential = this.credentials.admin): Promise<LoginLink> {
    const token = this.random.bytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const expiresAt = now + LINK_LIFE_MS;
    await this.journal.change([
      ['DELETE FROM login_links WHERE expires_at <= ?', [now]],
      [
        'INSERT INTO login_links(token_hash, expires_at, credential) VALUES (?, ?, ?)',
        [hashToken(token), expiresAt, credential],
      ],
    ]);
    this.log.info({ expires_at: new Date(expiresAt).toISOString() }, 'login link made');
    return {
      url: `${this.publicAddress.url}/login?token=${token}`,
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /**
   * Uses a link up. The writer takes one change after the other, so only one caller wins.
   * @returns what stands behind it; null where it was no longer good, or that has ended since
   */
  async redeem(token: string): Promise<string | null> {
    if (!(await this.isKnown(token))) return null;
    const { rows } = await this.journal.change([
      [
        'DELETE FROM login_links WHERE token_hash = ? AND expires_at > ? RETURNING credential',
        [hashToken(token), this.clock.now()],
      ],
    ]);
    const [link] = (rows[0] ?? []) as { credential: string | null }[];
    const credential = link?.credential ?? null;
    return credential !== null && this.credentials.endOf(credential) > this.clock.now() ? credential : null;
  }

  /** Read first: anybody may call, and who only guesses shall cause no writing. */
  private async isKnown(token: string): Promise<boolean> {
    if (!TOKEN.test(token)) return false;
    const sql = 'SELECT 1 FROM login_links WHERE token_hash = ?';
    return (await this.source.query<unknown[]>(sql, [hashToken(token)])).length > 0;
  }
}
