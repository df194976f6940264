import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/**
 * Co-Pilot for tests: a real server on loopback, written from the service's document alone. It records every request and
 * can be set to misbehave. It shares no code with the relay or the sandbox, so that no misreading can satisfy both sides.
 */
export interface CopilotRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface CopilotResponse {
  status: number;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  contentType?: string;
  headers?: Record<string, string>;
}

/**
 * What happens instead of the usual response. `drop_request`: the connection is closed, and the request is not
 * processed. `drop_response`: the request is processed, and the connection closed without a response. `hang` and
 * `mute`: the same two, but the connection stays open.
 */
export type Misbehaviour = CopilotResponse | 'drop_response' | 'drop_request' | 'hang' | 'mute';

/** Method and path, with `:id` for the id of a webhook. */
export type Route =
  | 'HEAD /'
  | 'GET /oauth/authorize'
  | 'POST /oauth/token'
  | 'GET /v1/deals'
  | 'POST /v1/webhooks'
  | 'GET /v1/webhooks'
  | 'PATCH /v1/webhooks/:id'
  | 'DELETE /v1/webhooks/:id';

export interface FakeWebhook {
  webhook_id: string;
  url: string;
  events: string[];
  active: boolean;
  secret: string;
}

export const SIGNATURE_HEADER = 'x-copilot-signature';

export class FakeCopilot {
  readonly clientId = 'client-of-the-test';
  clientSecret = 'client-secret-of-the-test';
  readonly requests: CopilotRequest[] = [];
  readonly webhooks = new Map<string, FakeWebhook>();

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
  grantsScopes: string[] | null = null;
  createResponse: 'record' | 'data' | 'webhook' | 'empty' | 'html' = 'record';
  listResponse: 'array' | 'data' | 'webhooks' = 'array';
  /** How the list refers to its next page; a page has one webhook then. `unmarked`: not at all. */
  paging: 'none' | 'cursor' | 'page' | 'link' | 'next' | 'unmarked' = 'none';
  /** The maximum number of webhooks, and the status for a further one. */
  limit: { webhooks: number; status: number } | null = null;

  private readonly codes = new Map<string, { redirectUri: string; scopes: string[] }>();
  private readonly refreshTokens = new Map<string, string[]>();
  /** When each expires. */
  private readonly accessTokens = new Map<string, number>();
  private readonly inFlight = new Map<Route, number>();
  private readonly peaks = new Map<Route, number>();
  private readonly misbehaviours = new Map<Route, { what: Misbehaviour; times: number }>();
  private readonly watchers: { route: Route; watch: (request: CopilotRequest) => void | Promise<void> }[] =
    [];
  private lastWebhookNumber = 1000;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeCopilot> {
    const server = createServer();
    const upstream = new FakeCopilot(server);
    server.on('request', (request, response) => {
      upstream.serve(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return upstream;
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string')
      throw new Error('The fake Co-Pilot is not listening.');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Misbehaves on a route, for `times` requests or until `behave`. */
  misbehave(route: Route, what: Misbehaviour, times = Number.POSITIVE_INFINITY): void {
    this.misbehaviours.set(route, { what, times });
  }

  behave(): void {
    this.misbehaviours.clear();
  }

  /** Calls `watch` with each request on a route before it is processed, and waits for it. */
  watch(route: Route, watch: (request: CopilotRequest) => void | Promise<void>): void {
    this.watchers.push({ route, watch });
  }

  /** The requests made on a route so far. */
  on(route: Route): CopilotRequest[] {
    return this.requests.filter(({ method, path }) => routeOf(method, path) === route);
  }

  /** The maximum number of concurrent requests on a route. */
  peak(route: Route): number {
    return this.peaks.get(route) ?? 0;
  }

  /** Invalidates all access tokens, as a revocation does. */
  expireAccessTokens(): void {
    this.accessTokens.clear();
  }

  /** Invalidates all tokens. */
  revokeGrants(): void {
    this.refreshTokens.clear();
    this.accessTokens.clear();
  }

  /** Adds a webhook of another application. */
  addForeignWebhook(url: string): FakeWebhook {
    return this.createWebhook({ url, events: ['deal.created'], active: true, secret: 'of-somebody-else' });
  }

  /** Opens an authorization URL as a browser of a user who consents. @returns the URL of its redirect */
  async consent(authorizeUrl: string): Promise<URL> {
    const answer = await fetch(authorizeUrl, { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`The authorization URL returned ${answer.status} without a redirect.`);
    return new URL(location);
  }

  /**
   * Sends a notification to a registered webhook, once. The signature is the lowercase hex HMAC-SHA256 of the bytes.
   * @param signature instead of the correct one; null sends none
   */
  notify(
    webhook: FakeWebhook,
    body: string | Buffer,
    signature: string | null = this.sign(webhook, body),
    header: string = SIGNATURE_HEADER,
  ): Promise<Response> {
    return fetch(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signature === null ? {} : { [header]: signature }),
      },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
  }

  sign({ secret }: FakeWebhook, body: string | Buffer): string {
    return createHmac('sha256', secret).update(body).digest('hex');
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(incoming, 'end');
    const url = new URL(incoming.url ?? '/', this.baseUrl);
    const request: CopilotRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.requests.push(request);
    const route = routeOf(request.method, request.path);
    if (route !== null) this.count(route, response);
    for (const { watch } of this.watchers.filter((one) => one.route === route)) await watch(request);

    const misbehaviour = this.takeMisbehaviour(route);
    if (misbehaviour === 'hang') return;
    if (misbehaviour === 'drop_request') {
      response.destroy();
      return;
    }
    if (typeof misbehaviour === 'object' && misbehaviour !== null) {
      send(response, misbehaviour);
      return;
    }
    const location = route === 'GET /oauth/authorize' ? this.authorize(request) : null;
    const answer = location === null ? this.respond(route, request) : { status: 302 };
    if (misbehaviour === 'mute') return;
    if (misbehaviour === 'drop_response') response.destroy();
    else send(response, answer, location);
  }

  private count(route: Route, response: ServerResponse): void {
    const open = (this.inFlight.get(route) ?? 0) + 1;
    this.inFlight.set(route, open);
    this.peaks.set(route, Math.max(this.peak(route), open));
    response.once('close', () => this.inFlight.set(route, (this.inFlight.get(route) ?? 1) - 1));
  }

  private takeMisbehaviour(route: Route | null): Misbehaviour | null {
    const planned = route === null ? undefined : this.misbehaviours.get(route);
    if (planned === undefined || planned.times <= 0) return null;
    planned.times -= 1;
    return planned.what;
  }

  private respond(route: Route | null, request: CopilotRequest): CopilotResponse {
    if (route === 'POST /oauth/token') return this.issueTokens(new URLSearchParams(request.body));
    if (route === null || route === 'GET /oauth/authorize')
      return { status: 404, body: { error: 'not_found' } };

    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || this.now() >= (this.accessTokens.get(bearer) ?? 0))
      return { status: 401, body: { error: 'unauthorized' } };
    const id = decodeURIComponent(request.path.split('/')[3] ?? '');
    if (route === 'GET /v1/deals') return { status: 200, body: [] };
    if (route === 'GET /v1/webhooks') return this.respondToList(request.query);
    if (route === 'POST /v1/webhooks') {
      if (this.limit !== null && this.webhooks.size >= this.limit.webhooks)
        return { status: this.limit.status, body: { message: 'too many webhooks' } };
      const fields: Omit<FakeWebhook, 'webhook_id'> = JSON.parse(request.body);
      return this.respondToCreate(this.createWebhook(fields));
    }
    const webhook = this.webhooks.get(id);
    if (webhook === undefined) return { status: 404, body: { error: 'not_found' } };
    if (route === 'DELETE /v1/webhooks/:id') {
      this.webhooks.delete(id);
      return { status: 204 };
    }
    Object.assign(webhook, JSON.parse(request.body));
    return { status: 200, body: withoutSecret(webhook) };
  }

  /** Consents immediately. */
  private authorize({ query }: CopilotRequest): string | null {
    const redirectUri = query.get('redirect_uri');
    if (
      query.get('response_type') !== 'code' ||
      query.get('client_id') !== this.clientId ||
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

  private issueTokens(form: URLSearchParams): CopilotResponse {
    if (form.get('client_id') !== this.clientId || form.get('client_secret') !== this.clientSecret) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    if (form.get('grant_type') === 'authorization_code') {
      const code = form.get('code') ?? '';
      const granted = this.codes.get(code);
      this.codes.delete(code);
      if (granted === undefined || granted.redirectUri !== form.get('redirect_uri')) {
        return { status: 400, body: { error: 'invalid_grant' } };
      }
      return this.tokens(this.grantsScopes ?? granted.scopes, true);
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

  private createWebhook(fields: Omit<FakeWebhook, 'webhook_id'>): FakeWebhook {
    this.lastWebhookNumber += 1;
    const webhook = { ...fields, webhook_id: `wh_${this.lastWebhookNumber}` };
    this.webhooks.set(webhook.webhook_id, webhook);
    return webhook;
  }

  private respondToCreate(webhook: FakeWebhook): CopilotResponse {
    if (this.createResponse === 'empty') return { status: 204 };
    if (this.createResponse === 'html') {
      return { status: 200, body: '<html><body>Created</body></html>', contentType: 'text/html' };
    }
    const record = withoutSecret(webhook);
    return {
      status: 201,
      body: this.createResponse === 'record' ? record : { [this.createResponse]: record },
    };
  }

  private respondToList(query: URLSearchParams): CopilotResponse {
    const all = [...this.webhooks.values()].map(withoutSecret);
    if (this.paging === 'none')
      return { status: 200, body: this.listResponse === 'array' ? all : { [this.listResponse]: all } };
    const at = Number(query.get('cursor') ?? query.get('page') ?? 1);
    const data = all.slice(at - 1, at);
    const next = at < all.length ? `/v1/webhooks?cursor=${at + 1}` : null;
    const beside = {
      cursor: { meta: { next_cursor: next === null ? null : String(at + 1) } },
      page: { page: at, pages: all.length },
      next: { _links: { next: next === null ? null : { href: this.baseUrl + next } } },
      link: {},
      unmarked: {},
    };
    const link = this.paging === 'link' && next !== null ? { link: `<${next}>; rel="next"` } : {};
    return { status: 200, body: { data, ...beside[this.paging] }, headers: link };
  }
}

/** A webhook as the service shows it, without its secret. */
function withoutSecret({ webhook_id, url, events, active }: FakeWebhook): Omit<FakeWebhook, 'secret'> {
  return { webhook_id, url, events, active };
}

const ROUTES: Record<string, Route> = {
  'HEAD /': 'HEAD /',
  'GET /oauth/authorize': 'GET /oauth/authorize',
  'POST /oauth/token': 'POST /oauth/token',
  'GET /v1/deals': 'GET /v1/deals',
  'POST /v1/webhooks': 'POST /v1/webhooks',
  'GET /v1/webhooks': 'GET /v1/webhooks',
  'PATCH /v1/webhooks/:id': 'PATCH /v1/webhooks/:id',
  'DELETE /v1/webhooks/:id': 'DELETE /v1/webhooks/:id',
};

function routeOf(method: string, path: string): Route | null {
  return ROUTES[`${method} ${path.replace(/^(\/v1\/webhooks)\/[^/]+$/, '$1/:id')}`] ?? null;
}

function send(
  response: ServerResponse,
  { status, body, contentType, headers = {} }: CopilotResponse,
  location: string | null = null,
) {
  if (location !== null) response.setHeader('location', location);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (body === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', contentType ?? 'application/json');
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
