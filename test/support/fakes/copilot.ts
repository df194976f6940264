import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { FakeGrants } from './copilot-grants';
import {
  routeOf,
  send,
  type CopilotRequest,
  type CopilotResponse,
  type Misbehaviour,
  type Route,
} from './copilot-requests';
import { FakeWebhooks, type FakeWebhook } from './copilot-webhooks';

const DEALS_PER_PAGE = 500;
export const SIGNATURE_HEADER = 'x-copilot-signature';

/**
 * Co-Pilot for tests: a real server on loopback, written from the service's document alone. It records every request and
 * can be set to misbehave. It shares no code with the relay or the sandbox, so that no misreading can satisfy both sides.
 */
export class FakeCopilot {
  readonly clientId = 'client-of-the-test';
  clientSecret = 'client-secret-of-the-test';
  readonly requests: CopilotRequest[] = [];
  readonly grants = new FakeGrants(this);
  readonly webhookApi = new FakeWebhooks(() => this.baseUrl);
  /** What `GET /v1/deals` lists, in pages of 500. */
  deals: readonly object[] = [];

  private readonly inFlight = new Map<Route, number>();
  private readonly peaks = new Map<Route, number>();
  private readonly misbehaviours = new Map<Route, { what: Misbehaviour; times: number }>();
  private readonly watchers: { route: Route; watch: (request: CopilotRequest) => void | Promise<void> }[] =
    [];

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

  get webhooks(): Map<string, FakeWebhook> {
    return this.webhookApi.all;
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

  /** Adds a webhook of another application. */
  addForeignWebhook(url: string): FakeWebhook {
    return this.webhookApi.add({ url, events: ['deal.created'], active: true, secret: 'of-somebody-else' });
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
    const location = route === 'GET /oauth/authorize' ? this.grants.authorize(request) : null;
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
    if (route === 'POST /oauth/token') return this.grants.issueTokens(new URLSearchParams(request.body));
    if (route === null || route === 'GET /oauth/authorize')
      return { status: 404, body: { error: 'not_found' } };

    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || !this.grants.accepts(bearer))
      return { status: 401, body: { error: 'unauthorized' } };
    return route === 'GET /v1/deals' ? this.listDeals(request) : this.webhookApi.respond(request);
  }

  private listDeals({ query }: CopilotRequest): CopilotResponse {
    const page = Number(query.get('page') ?? 1);
    const pages = Math.ceil(this.deals.length / DEALS_PER_PAGE);
    const data = this.deals.slice((page - 1) * DEALS_PER_PAGE, page * DEALS_PER_PAGE);
    return { status: 200, body: { data, page, pages } };
  }
}
