import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LoginLink } from '../../contract/session';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { insert } from '../database/journal/statements';
import { toIso } from '../ground/iso-time';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { Credentials } from './credentials';
import { hashToken } from './token-secret';

const LINK_LIFETIME_MS = 15 * 60 * 1_000;
const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[\w-]{43}$/;

/** Single-use login links. Their tokens are stored as hashes and never logged. */
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
   * Creates a link, and deletes expired ones.
   * @param credential that of the session that the link opens
   */
  async create(credential = this.credentials.adminCredential): Promise<LoginLink> {
    const token = this.random.bytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const expiresAt = now + LINK_LIFETIME_MS;
    await this.journal.change({
      statements: [
        ['DELETE FROM login_links WHERE expires_at <= ?', [now]],
        insert('login_links', { token_hash: hashToken(token), expires_at: expiresAt, credential }),
      ],
    });
    const link = { url: `${this.publicAddress.url}/login?token=${token}`, expires_at: toIso(expiresAt) };
    this.log.info({ expires_at: link.expires_at }, 'login link created');
    return link;
  }

  /**
   * Consumes a link. Changes are written one after the other, so only one caller succeeds.
   * @returns its credential; null if the link or the credential is no longer valid
   */
  async redeem(token: string): Promise<string | null> {
    if (!(await this.isKnown(token))) return null;
    const { rows } = await this.journal.change({
      statements: [
        [
          'DELETE FROM login_links WHERE token_hash = ? AND expires_at > ? RETURNING credential',
          [hashToken(token), this.clock.now()],
        ],
      ],
    });
    const [link] = (rows[0] ?? []) as { credential: string | null }[];
    const credential = link?.credential ?? null;
    const isValid = credential !== null && this.credentials.expiryOf(credential) > this.clock.now();
    return isValid ? credential : null;
  }

  /** Checked first because anyone can call this: a guessed token must not cause a write. */
  private async isKnown(token: string): Promise<boolean> {
    if (!TOKEN_PATTERN.test(token)) return false;
    const sql = 'SELECT 1 FROM login_links WHERE token_hash = ?';
    return (await this.source.query<unknown[]>(sql, [hashToken(token)])).length > 0;
  }
}
