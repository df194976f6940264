import { z } from 'zod';
import type { Sandbox } from '../../src/sandbox/start-sandbox';
import { readAnswer } from './read-answer';

/** Where the test's application is sent back to; nothing listens there, since redirects are read, not followed. */
export const REDIRECT_URI = 'http://127.0.0.1:4000/oauth/callback';

/** What the token endpoint answers: tokens, or an error. Fields of the other kind read as empty. */
const tokenAnswer = z.object({
  access_token: z.string().default(''),
  token_type: z.string().default(''),
  expires_in: z.number().default(0),
  refresh_token: z.string().default(''),
  scope: z.string().default(''),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** An application of a test, speaking to the sandbox over HTTP. */
export class Client {
  readonly credentials: { client_id: string; client_secret: string };

  constructor(private sandbox: Sandbox) {
    const made = sandbox.createApplication({ name: 'Test', redirectUris: [REDIRECT_URI] });
    this.credentials = { client_id: made.clientId, client_secret: made.clientSecret };
  }

  /** Goes on with a sandbox that was started after this one. */
  moveTo(sandbox: Sandbox): void {
    this.sandbox = sandbox;
  }

  /** The address to send a user to; a parameter given as undefined is left out. */
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

  /** Goes to the authorize address and returns where it is sent to; needs a sandbox that consents at once. */
  async authorize(changes: Record<string, string | undefined> = {}): Promise<URL> {
    const answer = await fetch(this.authorizeUrl(changes), { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (!location) throw new Error(`Not redirected: ${answer.status} ${await answer.text()}`);
    return new URL(location);
  }

  async code(scope?: string): Promise<string> {
    const target = await this.authorize(scope === undefined ? {} : { scope });
    return target.searchParams.get('code') ?? '';
  }

  /** Posts a form to the token endpoint, with the credentials unless changed. */
  async token(fields: Record<string, string>): Promise<{ answer: Response; body: TokenAnswer }> {
    const answer = await fetch(`${this.sandbox.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...this.credentials, ...fields }),
    });
    return { answer, body: await readAnswer(answer, tokenAnswer) };
  }

  exchange(
    code: string,
    changes: Record<string, string> = {},
  ): Promise<{ answer: Response; body: TokenAnswer }> {
    return this.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...changes });
  }

  refresh(
    refreshToken: string,
    changes: Record<string, string> = {},
  ): Promise<{ answer: Response; body: TokenAnswer }> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  /** Tokens of a whole, good authorization. */
  async connect(scope?: string): Promise<TokenAnswer> {
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
    const wanted = { events: ['deal.created'], active: true, secret: 'test-secret', ...webhook };
    const answer = await this.api('POST', '/v1/webhooks', accessToken, wanted);
    return (await readAnswer(answer, z.object({ webhook_id: z.string() }))).webhook_id;
  }
}
