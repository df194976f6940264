import { Inject, Injectable } from '@nestjs/common';
import type { LoginLink } from '../../contract/session';
import { Clock } from '../clock';
import { Journal } from '../database/journal';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { PublicAddress } from '../settings/public-address';
import { hashToken } from './hash-token';

/** 15 minutes. */
const LINK_LIFE_MS = 15 * 60 * 1_000;
const TOKEN_BYTES = 32;

/** Links that log a browser in, once. Their tokens are stored hashed and never logged. */
@Injectable()
export class LoginLinksService {
  constructor(
    private readonly journal: Journal,
    private readonly publicAddress: PublicAddress,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Expired links are cleared away on the occasion. */
  async make(): Promise<LoginLink> {
    const token = this.random.bytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const expiresAt = now + LINK_LIFE_MS;
    await this.journal.change([
      ['DELETE FROM login_links WHERE expires_at <= ?', [now]],
      ['INSERT INTO login_links(token_hash, expires_at) VALUES (?, ?)', [hashToken(token), expiresAt]],
    ]);
    this.log.info({ expires_at: new Date(expiresAt).toISOString() }, 'login link made');
    return {
      url: `${this.publicAddress.url}/login?token=${token}`,
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /** Uses a link up; true where it was still good. The writer takes one change after the other, so only one caller wins. */
  async spend(token: string): Promise<boolean> {
    const { rows } = await this.journal.change([
      [
        'DELETE FROM login_links WHERE token_hash = ? AND expires_at > ? RETURNING expires_at',
        [hashToken(token), this.clock.now()],
      ],
    ]);
    return rows[0]?.length === 1;
  }
}
