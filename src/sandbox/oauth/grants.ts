import { z } from 'zod';
import { SCOPE_SEPARATOR, SCOPES } from '../../protocol/scopes';
import type { TokenResponse } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import { type RandomBytes, randomSecret } from '../random';
import type { Quirks } from '../quirks/quirks';
import type { AuthorizationRequest } from './pending-consents';
import { digestOf } from './secret-digest';

/** The maximum that RFC 6749, 4.1.2 recommends; the document shows no limit. */
const CODE_LIFETIME_MS = 10 * 60_000;

/** How long a second use of a code is recognized. */
const USED_CODE_RETENTION_MS = 24 * 3_600_000;

/** How many used refresh tokens are recognized; bounded, so that a long-running sandbox does not grow. */
const USED_TOKENS_LIMIT = 1_000;

const tokenFields = { digest: z.string(), grantId: z.string() };

const storedGrant = z.object({
  id: z.string(),
  clientId: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  revoked: z.boolean(),
});

const storedCode = z.object({
  ...tokenFields,
  redirectUri: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
  used: z.boolean(),
});

const storedRefreshToken = z.object({
  ...tokenFields,
  /** Identifies the token in the developer panel, which does not show the token itself. */
  id: z.string(),
  /** The last four characters, by which its owner recognizes it. */
  lastFour: z.string(),
  issuedAt: z.string(),
  /** Replaced by its successor; a second use revokes the grant. */
  used: z.boolean(),
});

const storedAccessToken = z.object({ ...tokenFields, expiresAt: z.number() });

/** Grants, codes and tokens as they are stored across restarts: only digests. */
const storedGrants = z.object({
  grants: z.array(storedGrant),
  codes: z.array(storedCode),
  refreshTokens: z.array(storedRefreshToken),
  accessTokens: z.array(storedAccessToken),
});

/** What a user allowed an application. Its codes and tokens are revoked together. */
export type Grant = z.infer<typeof storedGrant>;

type OfGrant<Stored> = Omit<Stored, keyof typeof tokenFields> & { grant: Grant };

/** Can be exchanged once (RFC 6749, 4.1.2). */
type AuthorizationCode = OfGrant<z.infer<typeof storedCode>>;

/** By default it can be used once, and the response contains its successor (quirk `refresh_token`). */
export type RefreshToken = OfGrant<z.infer<typeof storedRefreshToken>>;

/** Codes and tokens by their digests. Used ones are stored for a while to detect their reuse. */
export class Grants {
  private readonly codes = new Map<string, AuthorizationCode>();
  private readonly refreshTokens = new Map<string, RefreshToken>();
  private readonly accessTokens = new Map<string, OfGrant<z.infer<typeof storedAccessToken>>>();

  constructor(
    private readonly clock: Clock,
    private readonly random: RandomBytes,
    private readonly quirks: Quirks,
  ) {}

  issueCode({ application, scopes, redirectUri }: AuthorizationRequest): string {
    this.removeExpired();
    const grant: Grant = { id: this.newId('grant'), clientId: application.clientId, scopes, revoked: false };
    const code = randomSecret(this.random);
    const expiresAt = this.clock.now() + CODE_LIFETIME_MS;
    this.codes.set(digestOf(code), { grant, redirectUri, expiresAt, used: false });
    return code;
  }

  /** A new access and refresh token, as in the document (2.4). */
  issueTokens(grant: Grant): TokenResponse {
    const token = randomSecret(this.random);
    this.refreshTokens.set(digestOf(token), {
      id: this.newId('rt'),
      grant,
      lastFour: token.slice(-4),
      issuedAt: isoTime(this.clock.now()),
      used: false,
    });
    return { ...this.issueAccessToken(grant), refresh_token: token };
  }

  /** Without a refresh token, for refreshes that do not rotate it. */
  issueAccessToken(grant: Grant): Omit<TokenResponse, 'refresh_token'> {
    this.removeExpired();
    const token = randomSecret(this.random);
    const lifetimeSeconds = this.quirks.current.token_lifetime_seconds;
    const expiresAt = this.clock.now() + lifetimeSeconds * 1_000;
    this.accessTokens.set(digestOf(token), { grant, expiresAt });
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: grant.scopes.join(SCOPE_SEPARATOR.tokenResponse),
    };
  }

  /** Whether a refresh replaces the refresh token. The document does not show it (4.2). */
  get rotatesRefreshTokens(): boolean {
    return this.quirks.current.refresh_token === 'rotated';
  }

  /** Includes used and expired codes. */
  findCode(code: string): AuthorizationCode | undefined {
    return this.codes.get(digestOf(code));
  }

  /** Includes used tokens. */
  findRefreshToken(token: string): RefreshToken | undefined {
    return this.refreshTokens.get(digestOf(token));
  }

  /** Valid refresh tokens, oldest first. */
  validRefreshTokens(): RefreshToken[] {
    return [...this.refreshTokens.values()].filter(({ used, grant }) => !used && !grant.revoked);
  }

  /** Undefined if the token is unknown, expired or revoked. */
  findByAccessToken(token: string): Grant | undefined {
    const found = this.accessTokens.get(digestOf(token));
    return found && !found.grant.revoked && this.clock.now() < found.expiresAt ? found.grant : undefined;
  }

  hasExpired(code: AuthorizationCode): boolean {
    return this.clock.now() >= code.expiresAt;
  }

  /** Revokes all codes and tokens of the grant. */
  revoke(grant: Grant): void {
    grant.revoked = true;
  }

  snapshot(): z.infer<typeof storedGrants> {
    const { codes, refreshTokens, accessTokens } = this;
    const all = [...codes.values(), ...refreshTokens.values(), ...accessTokens.values()];
    return {
      grants: [...new Set(all.map(({ grant }) => grant))],
      codes: snapshotOf(codes),
      refreshTokens: snapshotOf(refreshTokens),
      accessTokens: snapshotOf(accessTokens),
    };
  }

  restore(snapshot: unknown): void {
    const { grants, codes, refreshTokens, accessTokens } = storedGrants.parse(snapshot);
    const byId = new Map(grants.map((grant) => [grant.id, grant]));
    restoreInto(this.codes, codes, byId);
    restoreInto(this.refreshTokens, refreshTokens, byId);
    restoreInto(this.accessTokens, accessTokens, byId);
  }

  private newId(kind: 'grant' | 'rt'): string {
    return `${kind}_${this.random(8).toString('hex')}`;
  }

  private removeExpired(): void {
    const now = this.clock.now();
    for (const [digest, { expiresAt }] of this.accessTokens)
      if (expiresAt <= now) this.accessTokens.delete(digest);
    for (const [digest, { expiresAt }] of this.codes)
      if (expiresAt + USED_CODE_RETENTION_MS <= now) this.codes.delete(digest);
    const unusable = [...this.refreshTokens].filter(([, { used, grant }]) => used || grant.revoked);
    for (const [digest] of unusable.slice(0, -USED_TOKENS_LIMIT)) this.refreshTokens.delete(digest);
  }
}

function snapshotOf<T extends { grant: Grant }>(byDigest: Map<string, T>) {
  return [...byDigest].map(([digest, { grant, ...rest }]) => ({ digest, grantId: grant.id, ...rest }));
}

function restoreInto<T extends { digest: string; grantId: string }>(
  byDigest: Map<string, OfGrant<T>>,
  records: readonly T[],
  grants: ReadonlyMap<string, Grant>,
): void {
  for (const { digest, grantId, ...rest } of records) {
    const grant = grants.get(grantId);
    if (!grant) throw new Error(`There is no grant with the id ${grantId}.`);
    byDigest.set(digest, { ...rest, grant });
  }
}
