import { z } from 'zod';
import type { Sandbox } from '../../src/sandbox/start-sandbox';
import { parseResponse } from './parse-response';

/** The application's redirect URI. Nothing listens there, because redirects are not followed. */
export const REDIRECT_URI = 'http://127.0.0.1:4000/oauth/callback';

/** A response of the token endpoint: tokens or an error, with the fields of the other empty. */
const tokenResult = z.object({
  access_token: z.string().default(''),
  token_type: z.string().default(''),
  expires_in: z.number().default(0),
  refresh_token: z.string().default(''),
  scope: z.string().default(''),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

export type TokenResult = z.infer<typeof tokenResult>;

/** A client application that uses the sandbox over HTTP. */
export class Client {
  readonly credentials: { client_id: string; client_secret: string };

  constructor(private sandbox: Sandbox) {
    const created = sandbox.createApplication({ name: 'Test', redirectUris: [REDIRECT_URI] });
    this.credentials = { client_id: created.clientId, client_secret: created.clientSecret };
  }

  /** Continues with another sandbox. */
  moveTo(sandbox: Sandbox): void {
    this.sandbox = sandbox;
  }

  /** The authorization URL; a parameter given as undefined is omitted. */
  authorizeUrl(changes: Record<string, string | undefined> = {}): URL {
    const url = new URL('/oauth/authorize', this.sandbox.baseUrl);
    const parameters = {
      response_type: 'code',
      client_id: this.credentials.client_id,
      redirect_uri: REDIRECT_URI,
      scope: 'webhooks,deals',
      state: 'state-1',
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** Requests authorization and returns the redirect's target; requires automatic consent. */
  async authorize(changes: Record<string, string | undefined> = {}): Promise<URL> {
    const response = await fetch(this.authorizeUrl(changes), { redirect: 'manual' });
    const location = response.headers.get('location');
    if (!location) throw new Error(`Not redirected: ${response.status} ${await response.text()}`);
    return new URL(location);
  }

  async code(scope?: string): Promise<string> {
    const target = await this.authorize(scope === undefined ? {} : { scope });
    return target.searchParams.get('code') ?? '';
  }

  /** Posts a form to the token endpoint, with the credentials unless changed. */
  async token(fields: Record<string, string>): Promise<{ response: Response; body: TokenResult }> {
    const response = await fetch(`${this.sandbox.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...this.credentials, ...fields }),
    });
    return { response, body: await parseResponse(response, tokenResult) };
  }

  exchange(
    code: string,
    changes: Record<string, string> = {},
  ): Promise<{ response: Response; body: TokenResult }> {
    return this.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...changes });
  }

  refresh(
    refreshToken: string,
    changes: Record<string, string> = {},
  ): Promise<{ response: Response; body: TokenResult }> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  /** Authorizes and exchanges the code. */
  async connect(scope?: string): Promise<TokenResult> {
    return (await this.exchange(await this.code(scope))).body;
  }

  /** An API request with a bearer token. */
  api(method: string, path: string, accessToken: string, body?: unknown): Promise<Response> {
    return fetch(this.sandbox.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Registers a webhook and returns its id. */
  async register(accessToken: string, webhook: object): Promise<string> {
    const fields = { events: ['deal.created'], active: true, secret: 'test-secret', ...webhook };
    const response = await this.api('POST', '/v1/webhooks', accessToken, fields);
    return (await parseResponse(response, z.object({ webhook_id: z.string() }))).webhook_id;
  }
}
