import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { OpenSession } from '../../src/contract/session';
import { BrowserSession } from '../support/browser/browser-session';
import { live, openLoginLink, show } from '../support/browser/dashboard';

/** Another program on this machine that the operator looks at in the same browser, such as a receiver on localhost. */
class OtherPort {
  /** What its visitors sent. */
  readonly visits: IncomingHttpHeaders[] = [];
  sets: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.visits.push(request.headers);
      response.setHeader('set-cookie', this.sets);
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

let stand: BrowserSession;
let other: OtherPort;
let page: Page;

beforeAll(async () => {
  stand = await BrowserSession.open({ connected: false });
  other = stand.keep(await OtherPort.start());
});

afterAll(() => stand?.close());

beforeEach(async () => {
  page = await (await stand.browser.newContext()).newPage();
  const { body } = await stand.daemon.request('POST', '/login-links');
  const { pathname, search } = new URL((body as { url: string }).url);
  await openLoginLink(page, `${stand.daemon.url}${pathname}${search}`);
  await live(page);
  other.sets = [];
});

afterEach(() => page.context().close());

const tokens = () => stand.daemon.get<{ data: { name: string }[] }>('/tokens');

it('a page at another port of the host, which is sent the cookie, can make no token with it', async () => {
  const theirs = await page.context().newPage();
  await theirs.goto(other.url);
  const cookie = other.visits.at(-1)!.cookie ?? '';
  expect(cookie).toContain('switchboard_session_');
  const target = `${stand.daemon.url}/api/v1/tokens`;
  const wanted = JSON.stringify({ name: 'stolen', scopes: ['admin'] });
  // By script, as far as a browser lets it.
  const sent = await theirs.evaluate(
    ([url, body]) =>
      Promise.all(
        [
          { 'content-type': 'application/json', 'x-switchboard-request': '1' },
          { 'content-type': 'text/plain' },
        ].map((headers) =>
          fetch(url!, { method: 'POST', credentials: 'include', headers, body: body! }).then(
            ({ status }) => status,
            () => 'refused by the browser',
          ),
        ),
      ),
    [target, wanted],
  );
  expect(sent).toEqual(['refused by the browser', 'refused by the browser']);
  // By the program behind it, which may send what it likes.
  const forged = { cookie, origin: stand.daemon.url, 'content-type': 'application/json' };
  for (const half of ['1', '', 'x'.repeat(43)]) {
    const headers = { ...forged, 'x-switchboard-request': half };
    expect((await fetch(target, { method: 'POST', headers, body: wanted })).status).toBe(401);
    expect((await fetch(`${stand.daemon.url}/api/v1/events`, { headers })).status).toBe(401);
    expect((await fetch(`${stand.daemon.url}/oauth/connect`, { method: 'POST', headers })).status).toBe(401);
  }
  expect((await tokens()).data).toEqual([]);
});

it('a cookie of our name that another port plants does not sign the operator out', async () => {
  const { name } = (await page.context().cookies())[0]!;
  other.sets = [`${name}=${'A'.repeat(43)}; Path=/api`, `${name}=planted; Path=/socket.io`];
  const theirs = await page.context().newPage();
  await theirs.goto(other.url);
  expect(await page.context().cookies()).toHaveLength(3);
  await show(page, '/settings');
  await page.getByText('this browser').waitFor();
  const { data } = await stand.daemon.get<{ data: OpenSession[] }>('/sessions');
  expect(data[0]!.opened_by).toBe('login_link');
});

it('a link to the consent that stands on a page of another port leads to no consent', async () => {
  const theirs = await page.context().newPage();
  await theirs.goto(other.url);
  const answered = theirs.waitForResponse((response) => response.url().endsWith('/oauth/connect'));
  await theirs.evaluate((url) => location.assign(url), `${stand.daemon.url}/oauth/connect`);
  expect((await answered).status()).toBe(403);
  expect(stand.daemon.rows('SELECT state_hash FROM consents')).toEqual([]);
});

it('neither the address nor the history keeps what the session is made of', async () => {
  const half = await page.evaluate(() => localStorage.getItem('switchboard-session'));
  expect(half).toMatch(/^[\w-]{43}$/);
  expect(page.url()).toBe(`${stand.daemon.url}/`);
  const before = await page.evaluate(() => history.length);
  await page.goBack();
  expect(page.url()).not.toContain('/login');
  expect(before).toBeLessThanOrEqual(2);
});
