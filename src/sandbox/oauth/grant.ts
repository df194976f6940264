import type { Scope } from '../../protocol/scopes';

/** What a user allowed an application. Its codes and tokens are revoked together. */
export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  revoked: boolean;
}

/** Can be exchanged once (RFC 6749, 4.1.2). */
export interface AuthorizationCode {
  readonly grant: Grant;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  used: boolean;
}

/** By default it can be used once, and the response contains its successor (quirk `refresh_token`). */
export interface RefreshToken {
  /** Identifies the token in the developer panel, which does not show the token itself. */
  readonly id: string;
  readonly grant: Grant;
  /** The last four characters, by which its owner recognizes it. */
  readonly lastFour: string;
  readonly issuedAt: string;
  /** Replaced by its successor; a second use revokes the grant. */
  used: boolean;
}

export interface AccessToken {
  readonly grant: Grant;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
