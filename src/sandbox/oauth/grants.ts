import { SCOPE_SEPARATOR, type Scope } from '../../protocol/scopes';
import type { TokenResponse } from '../../protocol/shapes';
import type { Clock } from '../clock';
import { type RandomBytes, randomSecret } from '../random';
import type { LiveReadings } from '../readings/readings';
import { digestOf } from './secret-digest';

/** What a user allowed an application. All codes and tokens that follow from it are one family, revoked together. */
export interface Grant {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  revoked: boolean;
}

/** A code sent to the redirect URI; good for one exchange (RFC 6749, 4.1.2). */
export interface AuthorizationCode {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly expiresAt: number;
  used: boolean;
}

/** A refresh token; good for one renewal, whose answer brings the next one. */
export interface RefreshToken {
  readonly grant: Grant;
  used: boolean;
}

interface AccessToken {
  readonly grant: Grant;
  readonly expiresAt: number;
}

/** How long a code can be exchanged: the most that RFC 6749, 4.1.2 recommends. The document shows no limit. */
const CODE_LIFE_MS = 10 * 60_000;

/**
 * Codes and tokens, found by their digests. Used ones are kept, since it is their second use that must be noticed; a
 * renewal an hour adds so little that nothing is swept but access tokens.
 */
export class Grants {
  private readonly codes = new Map<string, AuthorizationCode>();
  private readonly refreshTokens = new Map<string, RefreshToken>();
  private readonly accessTokens = new Map<string, AccessToken>();

  constructor(
    private readonly clock: Clock,
    private readonly random: RandomBytes,
    private readonly readings: LiveReadings,
  ) {}

  /** A code for a user's consent. */
  issueCode(consent: { clientId: string; scopes: readonly Scope[]; redirectUri: string }): string {
    const { redirectUri, ...given } = consent;
    const expiresAt = this.clock.now() + CODE_LIFE_MS;
    const code = { grant: { ...given, revoked: false }, redirectUri, expiresAt, used: false };
    return this.keep(this.codes, code);
  }

  /** A new access and refresh token for the grant, as the document answers them (2.4). */
  issueTokens(grant: Grant): TokenResponse {
    return {
      ...this.issueAccessToken(grant),
      refresh_token: this.keep(this.refreshTokens, { grant, used: false }),
    };
  }

  /** The same without a refresh token, for renewals that bring none. */
  issueAccessToken(grant: Grant): Omit<TokenResponse, 'refresh_token'> {
    this.sweepAccessTokens();
    const lifeSeconds = this.readings.now.token_life_seconds;
    const expiresAt = this.clock.now() + lifeSeconds * 1_000;
    return {
      access_token: this.keep(this.accessTokens, { grant, expiresAt }),
      token_type: 'Bearer',
      expires_in: lifeSeconds,
      scope: grant.scopes.join(SCOPE_SEPARATOR.tokenResponse),
    };
  }

  /** Whether a renewal brings a new refresh token and uses up the old one: not shown (document, 4.2). */
  get rotatesRefreshTokens(): boolean {
    return this.readings.now.refresh_token === 'new';
  }

  /** The code, used and expired ones included. */
  findCode(code: string): AuthorizationCode | undefined {
    return this.codes.get(digestOf(code));
  }

  /** The refresh token, used ones included. */
  findRefreshToken(token: string): RefreshToken | undefined {
    return this.refreshTokens.get(digestOf(token));
  }

  /** What an access token allows; nothing once it has expired or its grant was revoked. */
  findByAccessToken(token: string): Grant | undefined {
    const found = this.accessTokens.get(digestOf(token));
    return found && !found.grant.revoked && this.clock.now() < found.expiresAt ? found.grant : undefined;
  }

  hasExpired(code: AuthorizationCode): boolean {
    return this.clock.now() >= code.expiresAt;
  }

  private keep<T>(shelf: Map<string, T>, thing: T): string {
    const secret = randomSecret(this.random);
    shelf.set(digestOf(secret), thing);
    return secret;
  }

  private sweepAccessTokens(): void {
    for (const [digest, token] of this.accessTokens) {
      if (token.expiresAt <= this.clock.now()) this.accessTokens.delete(digest);
    }
  }
}
