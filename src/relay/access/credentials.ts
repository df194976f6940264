import { Injectable } from '@nestjs/common';
import { AdminToken } from './admin-token';
import { TokensService } from './tokens.service';

/**
 * The credential that opened a session, as stored with it: the id of an API token, or the fingerprint of the admin
 * token. The session ends with its credential.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly tokens: TokensService,
  ) {}

  get adminCredential(): string {
    return this.adminToken.fingerprint;
  }

  /** In ms since 1970: 0 for a revoked API token or a replaced admin token, Infinity if it does not expire. */
  expiryOf(credential: string): number {
    if (credential === this.adminCredential) return Infinity;
    const token = this.tokens.byId(credential);
    if (token === null || token.revokedAt !== null) return 0;
    return token.expiresAt ?? Infinity;
  }

  /** The API token; null for the admin token. */
  apiTokenOf(credential: string): { id: string; name: string } | null {
    const token = this.tokens.byId(credential);
    return token === null ? null : { id: token.id, name: token.name };
  }
}
