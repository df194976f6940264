import { randomBytes } from 'node:crypto';
import type { CopilotRequest, CopilotResponse } from './copilot-requests';

/** The OAuth part of the fake Co-Pilot: codes and tokens, and how it answers requests for them. */
export class FakeGrants {
  /** `expires_in` of tokens; the document says 3600 s. Undefined omits the field. Tokens expire only if it is a number. */
  expiresIn: unknown = 3600;
  /** Its clock for the expiry of access tokens, in ms. */
  now: () => number = Date.now;
  tokenType: unknown = 'Bearer';
  /** Whether a refresh returns a new refresh token and invalidates the old one. Otherwise it returns none. */
  rotatesRefreshTokens = true;
  /** Whether tokens can be renewed. */
  givesRefreshToken = true;
  /** Scopes to grant instead of the requested ones. */
  scopes: string[] | null = null;

  private readonly codes = new Map<string, { redirectUri: string; scopes: string[] }>();
  private readonly refreshTokens = new Map<string, string[]>();
  /** When each expires. */
  private readonly accessTokens = new Map<string, number>();

  constructor(private readonly client: { readonly clientId: string; readonly clientSecret: string }) {}

  /** Invalidates all access tokens, as a revocation does. */
  expireAccess(): void {
    this.accessTokens.clear();
  }

  /** Invalidates all tokens. */
  revoke(): void {
    this.refreshTokens.clear();
    this.accessTokens.clear();
  }

  accepts(bearer: string): boolean {
    return this.now() < (this.accessTokens.get(bearer) ?? 0);
  }

  /** Consents immediately. */
  authorize({ query }: CopilotRequest): string | null {
    const redirectUri = query.get('redirect_uri');
    if (
      query.get('response_type') !== 'code' ||
      query.get('client_id') !== this.client.clientId ||
      redirectUri === null
    ) {
      return null;
    }
    const code = `code-${randomBytes(9).toString('hex')}`;
    this.codes.set(code, { redirectUri, scopes: query.get('scope')?.split(',') ?? [] });
    const location = new URL(redirectUri);
    location.searchParams.set('code', code);
    location.searchParams.set('state', query.get('state') ?? '');
    return location.href;
  }

  issueTokens(form: URLSearchParams): CopilotResponse {
    if (
      form.get('client_id') !== this.client.clientId ||
      form.get('client_secret') !== this.client.clientSecret
    ) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    if (form.get('grant_type') === 'authorization_code') {
      const code = form.get('code') ?? '';
      const granted = this.codes.get(code);
      this.codes.delete(code);
      if (granted === undefined || granted.redirectUri !== form.get('redirect_uri')) {
        return { status: 400, body: { error: 'invalid_grant' } };
      }
      return this.tokens(this.scopes ?? granted.scopes, true);
    }
    const scopes = this.refreshTokens.get(form.get('refresh_token') ?? '');
    if (form.get('grant_type') !== 'refresh_token' || scopes === undefined) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    if (this.rotatesRefreshTokens) this.refreshTokens.delete(form.get('refresh_token') ?? '');
    return this.tokens(scopes, this.rotatesRefreshTokens);
  }

  private tokens(scopes: string[], withRefreshToken: boolean): CopilotResponse {
    const accessToken = `access-${randomBytes(16).toString('hex')}`;
    const lifeMs = typeof this.expiresIn === 'number' ? this.expiresIn * 1000 : Number.POSITIVE_INFINITY;
    this.accessTokens.set(accessToken, this.now() + lifeMs);
    const refreshToken = withRefreshToken ? `refresh-${randomBytes(16).toString('hex')}` : undefined;
    if (refreshToken !== undefined) this.refreshTokens.set(refreshToken, scopes);
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: this.tokenType,
        expires_in: this.expiresIn,
        refresh_token: this.givesRefreshToken ? refreshToken : undefined,
        scope: scopes.join(' '),
      },
    };
  }
}
