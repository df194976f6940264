import { createHash } from 'node:crypto';
import { hashToken } from '../../../src/relay/access/token-secret';
import { cookieOf, AccessHarness } from './access-harness';

let hub: AccessHarness;
beforeAll(async () => {
  hub = await AccessHarness.start();
});
afterAll(() => hub.dispose());

/** Where the page of a valid link redirects to. */
const destinationOf = ({ text }: { text: string }) => {
  const [, path] = /location\.replace\((".*?")\)/.exec(text) ?? [];
  return path === undefined ? null : (JSON.parse(path) as string);
};
const tokenIn = (link: string) => new URL(link, hub.origin).searchParams.get('token')!;

it('a link is created only for operators, with the public URL, valid for 15 minutes', async () => {
  expect((await hub.ask('/api/v1/login-links', { method: 'POST' })).status).toBe(401);
  const response = await hub.ask('/api/v1/login-links', { method: 'POST', headers: hub.bearer });
  expect(response).toMatchObject({
    status: 201,
    json: {
      url: expect.stringMatching(new RegExp(`^http://localhost:${hub.port}/login\\?token=[\\w-]{43}$`)),
      expires_at: new Date(hub.clock.now() + 15 * 60_000).toISOString(),
    },
  });
});

it('a link logs in: it sets an HttpOnly, SameSite cookie and redirects to the front page', async () => {
  const response = await hub.ask(await hub.makeLink());
  expect(response.status).toBe(200);
  expect(destinationOf(response)).toBe('/');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['referrer-policy']).toBe('no-referrer');
  const [set] = response.headers['set-cookie']!;
  expect(set!.split('; ').slice(1).sort()).toEqual([
    'HttpOnly',
    `Max-Age=${30 * 86_400}`,
    'Path=/',
    'SameSite=Lax',
  ]);
  expect(response.text).not.toContain(cookieOf(response).split('=')[1]);
  const login = await hub.followLink(await hub.makeLink());
  expect((await hub.ask('/api/v1/probe', { headers: login })).status).toBe(200);
});

it('over https the cookie is sent over https only', async () => {
  const secure = await AccessHarness.start({ PUBLIC_URL: 'https://hub.example' });
  const response = await secure.ask(await secure.makeLink());
  expect(response.headers['set-cookie']![0]).toMatch(
    /^__Host-switchboard_session_\d+=.*; Path=\/;.*; Secure$/,
  );
  await secure.dispose();
});

it('a link works once; then it says how to get another', async () => {
  const link = await hub.makeLink();
  expect((await hub.ask(link)).status).toBe(200);
  const again = await hub.ask(link);
  expect(again.status).toBe(410);
  expect(again.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(again.headers['set-cookie']).toBeUndefined();
  expect(again.text).toContain('switchboard login-link');
});

it('a link under another host name is not used up, and leads to the configured address', async () => {
  const link = await hub.makeLink();
  const token = tokenIn(link);
  const elsewhere = await hub.ask(link, { headers: { host: `other.example:${hub.port}` } });
  expect(elsewhere.status).toBe(403);
  expect(elsewhere.headers['set-cookie']).toBeUndefined();
  expect(elsewhere.text.replaceAll('&#61;', '=')).toContain(
    `href="http://localhost:${hub.port}/login?token=${token}"`,
  );
  expect((await hub.ask(link)).status).toBe(200);
});

it('of two concurrent uses of a link, one succeeds', async () => {
  const link = await hub.makeLink();
  const responses = await Promise.all(Array.from({ length: 8 }, () => hub.ask(link)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 410)).toHaveLength(7);
});

it('a link is valid for 15 minutes, and no longer', async () => {
  const [first, second] = [await hub.makeLink(), await hub.makeLink()];
  hub.clock.time += 15 * 60_000 - 1;
  expect((await hub.ask(first)).status).toBe(200);
  hub.clock.time += 1;
  expect((await hub.ask(second)).status).toBe(410);
});

it('an unknown link causes no write, and is logged at most once a second', async () => {
  const used = await hub.makeLink();
  await hub.ask(used);
  const writes = jest.spyOn(hub.journal, 'change');
  for (let i = 0; i < 20; i += 1) {
    expect((await hub.ask(`/login?token=${String(i).padStart(43, 'A')}`)).status).toBe(410);
    expect((await hub.ask('/login?token=x')).status).toBe(410);
    expect((await hub.ask(used)).status).toBe(410);
  }
  expect(writes).not.toHaveBeenCalled();
  expect(hub.logged.split('"msg":"login rejected"').length - 1).toBeLessThan(20);
});

it('an unknown link and one without a token explain what to do', async () => {
  const unknown = await hub.ask(`/login?token=${'A'.repeat(43)}`);
  expect(unknown.status).toBe(410);
  for (const path of ['/login', '/login?token=', '/login?token=a&token=b']) {
    const cut = await hub.ask(path);
    expect(cut.status).toBe(400);
    expect(cut.text).toContain('switchboard login-link');
  }
});

it('a prefetch does not consume a link', async () => {
  const link = await hub.makeLink();
  const head = await hub.ask(link, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers['set-cookie']).toBeUndefined();
  for (const headers of [
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ]) {
    const ahead = await hub.ask(link, { headers });
    expect(ahead.status).toBe(503);
    expect(ahead.headers['set-cookie']).toBeUndefined();
  }
  expect((await hub.ask(link)).status).toBe(200);
});

it('a login redirects to a path of this daemon', async () => {
  const next = encodeURIComponent('/events?entity=deal:42#body');
  expect(destinationOf(await hub.ask(`${await hub.makeLink()}&next=${next}`))).toBe(
    '/events?entity=deal:42#body',
  );
});

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example/path',
  '/\n/evil.example',
  '/.//evil.example',
  '/%5C\\evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  'evil.example',
  ' //evil.example',
  '',
])('a login does not redirect to %j', async (next) => {
  const response = await hub.ask(`${await hub.makeLink()}&next=${encodeURIComponent(next)}`);
  expect(response.status).toBe(200);
  expect(destinationOf(response)).toBe('/');
});

it('a redirect path cannot end the script of the login page', async () => {
  const next = '/?</script><script>alert(1)</script>';
  const response = await hub.ask(`${await hub.makeLink()}&next=${encodeURIComponent(next)}`);
  expect(response.text.match(/<\/?script>/g)).toEqual(['<script>', '</script>']);
  const [, script] = /<script>(.*)<\/script>/s.exec(response.text)!;
  const hash = createHash('sha256').update(script!).digest('base64');
  expect(response.headers['content-security-policy']).toContain(
    `default-src 'none'; script-src 'sha256-${hash}';`,
  );
});

it('links, sessions and the admin token are never stored or logged in plain text', async () => {
  const [spent, open] = [await hub.makeLink(), await hub.makeLink()];
  const login = await hub.followLink(spent);
  await hub.ask(spent);
  await hub.ask('/login?token=guessed-and-wrong');
  await hub.ask('/api/v1/session', { method: 'POST', json: { token: 'pasted-and-wrong' } });
  await hub.ask(`/api/v1/nowhere?token=${tokenIn(open)}`, { headers: login });

  const { stored, logged } = hub;
  const session = login.cookie.split('=')[1]!;
  expect(stored).toContain(hashToken(tokenIn(open)));
  expect(stored).toContain(hashToken(session));
  expect(logged).toContain('"msg":"session opened"');
  expect(logged).toContain('"msg":"login rejected"');
  const secrets = [
    tokenIn(spent),
    tokenIn(open),
    session,
    login['x-switchboard-request'],
    hub.adminToken,
    'guessed-and-wrong',
    'pasted-and-wrong',
  ];
  for (const secret of secrets) {
    expect(stored.includes(secret)).toBe(false);
    expect(logged.includes(secret)).toBe(false);
  }
});
