import { Injectable } from '@nestjs/common';
import { AdminToken } from './admin-token';
import { TokensService } from './tokens.service';

/**
 * What stands behind a session, as it is stored with it: an API token by its id, or the admin token by its fingerprint. The
 * session ends with it.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly tokens: TokensService,
  ) {}

  get admin(): string {
    return this.adminToken.fingerprint;
  }

  /** In ms since 1970: 0 for an API token that was revoked and an admin token that was replaced, infinite where it does not end. */
  endOf(credential: string): number {
    if (credential === this.admin) return Infinity;
    const token = this.tokens.byId(credential);
    if (token === null || token.revokedAt !== null) return 0;
    return token.expiresAt ?? Infinity;
  }

  /** The API token, where it is one. */
  tokenOf(credential: string): { id: string; name: string } | null {
    const token = this.tokens.byId(credential);
    return token === null ? null : { id: token.id, name: token.name };
  }
}
