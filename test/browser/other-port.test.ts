import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { OpenSession } from '../../src/contract/session';
import { BrowserSession } from '../support/browser/browser-session';
import { waitUntilLive, openLoginLink, show } from '../support/browser/dashboard';

/** Another program on this host that the operator opens in the same browser, such as a receiver on localhost. */
class OtherPort {
  /** What its visitors sent. */
  readonly visits: IncomingHttpHeaders[] = [];
  cookiesToSet: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.visits.push(request.headers);
      response.setHeader('set-cookie', this.cookiesToSet);
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title><p>Hello</p>');
    });
  }

  static async start(): Promise<OtherPort> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtherPort(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

let session: BrowserSession;
let other: OtherPort;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open({ connected: false });
  other = session.closeLater(await OtherPort.start());
});

afterAll(() => session?.close());

beforeEach(async () => {
  page = await (await session.browser.newContext()).newPage();
  const { body } = await session.daemon.request('POST', '/login-links');
  const { pathname, search } = new URL((body as { url: string }).url);
  await openLoginLink(page, `${session.daemon.url}${pathname}${search}`);
  await waitUntilLive(page);
  other.cookiesToSet = [];
});

afterEach(() => page.context().close());

const tokens = () => session.daemon.get<{ data: { name: string }[] }>('/tokens');

it('a page on another port of the host, which receives the cookie, cannot create a token with it', async () => {
  const otherPage = await page.context().newPage();
  await otherPage.goto(other.url);
  const cookie = other.visits.at(-1)!.cookie ?? '';
  expect(cookie).toContain('switchboard_session_');
  const target = `${session.daemon.url}/api/v1/tokens`;
  const tokenRequest = JSON.stringify({ name: 'stolen', scopes: ['admin'] });
  // By a script of the page, which the browser restricts.
  const statuses = await otherPage.evaluate(
    ([url, body]) =>
      Promise.all(
        [
          { 'content-type': 'application/json', 'x-switchboard-request': '1' },
          { 'content-type': 'text/plain' },
        ].map((headers) =>
          fetch(url!, { method: 'POST', credentials: 'include', headers, body: body! }).then(
            ({ status }) => status,
            () => 'blocked by the browser',
          ),
        ),
      ),
    [target, tokenRequest],
  );
  expect(statuses).toEqual(['blocked by the browser', 'blocked by the browser']);
  // By the server behind the page, which is not restricted.
  const forged = { cookie, origin: session.daemon.url, 'content-type': 'application/json' };
  for (const secret of ['1', '', 'x'.repeat(43)]) {
    const headers = { ...forged, 'x-switchboard-request': secret };
    expect((await fetch(target, { method: 'POST', headers, body: tokenRequest })).status).toBe(401);
    expect((await fetch(`${session.daemon.url}/api/v1/events`, { headers })).status).toBe(401);
    expect((await fetch(`${session.daemon.url}/oauth/connect`, { method: 'POST', headers })).status).toBe(
      401,
    );
  }
  expect((await tokens()).data).toEqual([]);
});

it('a cookie of the same name set by another port does not sign the operator out', async () => {
  const { name } = (await page.context().cookies())[0]!;
  other.cookiesToSet = [`${name}=${'A'.repeat(43)}; Path=/api`, `${name}=planted; Path=/socket.io`];
  const otherPage = await page.context().newPage();
  await otherPage.goto(other.url);
  expect(await page.context().cookies()).toHaveLength(3);
  await show(page, '/settings');
  await page.getByText('this browser', { exact: true }).waitFor();
  const { data } = await session.daemon.get<{ data: OpenSession[] }>('/sessions');
  expect(data[0]!.opened_by).toBe('login_link');
});

it('a link to the consent flow on a page of another port does not start it', async () => {
  const otherPage = await page.context().newPage();
  await otherPage.goto(other.url);
  const consentResponse = otherPage.waitForResponse((response) => response.url().endsWith('/oauth/connect'));
  await otherPage.evaluate((url) => location.assign(url), `${session.daemon.url}/oauth/connect`);
  expect((await consentResponse).status()).toBe(403);
  expect(session.daemon.rows('SELECT state_hash FROM oauth_states')).toEqual([]);
});

it('neither the URL nor the history contains the session', async () => {
  const secret = await page.evaluate(() => localStorage.getItem('switchboard-session'));
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(page.url()).toBe(`${session.daemon.url}/`);
  const before = await page.evaluate(() => history.length);
  await page.goBack();
  expect(page.url()).not.toContain('/login');
  expect(before).toBeLessThanOrEqual(2);
});
