import type { Scope } from '../../protocol/scopes';

/** What a user allowed an application. All codes and tokens that follow from it are one family, revoked together. */
export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  revoked: boolean;
}

/** A code sent to the redirect URI; good for one exchange (RFC 6749, 4.1.2). */
export interface AuthorizationCode {
  readonly grant: Grant;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  used: boolean;
}

/** A refresh token; good for one renewal, whose answer brings the next one. */
export interface RefreshToken {
  /** What it is called in the developer panel, which does not show it. */
  readonly id: string;
  readonly grant: Grant;
  /** Its last four letters, by which its owner knows it again. */
  readonly lastFour: string;
  readonly issuedAt: string;
  used: boolean;
}

export interface AccessToken {
  readonly grant: Grant;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
