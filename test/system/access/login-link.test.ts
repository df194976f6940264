import { createHash } from 'node:crypto';
import { hashToken } from '../../../src/relay/access/hash-token';
import { cookieOf, Hub } from './start-hub';

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.start();
});
afterAll(() => hub.stop());

/** Where the page leads that a good link opens. */
const destinationOf = ({ text }: { text: string }) => {
  const [, path] = /location\.replace\((".*?")\)/.exec(text) ?? [];
  return path === undefined ? null : (JSON.parse(path) as string);
};
const tokenIn = (link: string) => new URL(link, hub.origin).searchParams.get('token')!;

it('a link is made for the operator only, at the public address, good for 15 minutes', async () => {
  expect((await hub.ask('/api/v1/login-links', { method: 'POST' })).status).toBe(401);
  const answer = await hub.ask('/api/v1/login-links', { method: 'POST', headers: hub.bearer });
  expect(answer).toMatchObject({
    status: 201,
    json: {
      url: expect.stringMatching(new RegExp(`^http://localhost:${hub.port}/login\\?token=[\\w-]{43}$`)),
      expires_at: new Date(hub.clock.now() + 15 * 60_000).toISOString(),
    },
  });
});

it('a link logs in: a cookie that scripts and foreign forms do not get, and on to the front page', async () => {
  const answer = await hub.ask(await hub.makeLink());
  expect(answer.status).toBe(200);
  expect(destinationOf(answer)).toBe('/');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  const [set] = answer.headers['set-cookie']!;
  expect(set!.split('; ').slice(1).sort()).toEqual([
    'HttpOnly',
    `Max-Age=${30 * 86_400}`,
    'Path=/',
    'SameSite=Lax',
  ]);
  expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
  const login = await hub.followLink(await hub.makeLink());
  expect((await hub.ask('/api/v1/probe', { headers: login })).status).toBe(200);
});

it('over https the cookie is for https only', async () => {
  const secure = await Hub.start({ publicUrl: 'https://hub.example' });
  const answer = await secure.ask(await secure.makeLink());
  expect(answer.headers['set-cookie']![0]).toMatch(/^__Host-switchboard_session_\d+=.*; Path=\/;.*; Secure$/);
  await secure.stop();
});

it('a link works once; afterwards it says how to get another', async () => {
  const link = await hub.makeLink();
  expect((await hub.ask(link)).status).toBe(200);
  const again = await hub.ask(link);
  expect(again.status).toBe(410);
  expect(again.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(again.headers['set-cookie']).toBeUndefined();
  expect(again.text).toContain('switchboard login-link');
});

it('of two who come at once, one gets in', async () => {
  const link = await hub.makeLink();
  const answers = await Promise.all(Array.from({ length: 8 }, () => hub.ask(link)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 410)).toHaveLength(7);
});

it('a link is good to the end of its 15 minutes, and no longer', async () => {
  const [first, second] = [await hub.makeLink(), await hub.makeLink()];
  hub.clock.time += 15 * 60_000 - 1;
  expect((await hub.ask(first)).status).toBe(200);
  hub.clock.time += 1;
  expect((await hub.ask(second)).status).toBe(410);
});

it('a wrong link costs no writing, and is logged once a second at most', async () => {
  const used = await hub.makeLink();
  await hub.ask(used);
  const writes = jest.spyOn(hub.journal, 'change');
  for (let i = 0; i < 20; i += 1) {
    expect((await hub.ask(`/login?token=${String(i).padStart(43, 'A')}`)).status).toBe(410);
    expect((await hub.ask('/login?token=x')).status).toBe(410);
    expect((await hub.ask(used)).status).toBe(410);
  }
  expect(writes).not.toHaveBeenCalled();
  expect(hub.logged.split('"msg":"login refused"').length - 1).toBeLessThan(20);
});

it('an unknown link and one without a token say what to do', async () => {
  const unknown = await hub.ask(`/login?token=${'A'.repeat(43)}`);
  expect(unknown.status).toBe(410);
  for (const path of ['/login', '/login?token=', '/login?token=a&token=b']) {
    const cut = await hub.ask(path);
    expect(cut.status).toBe(400);
    expect(cut.text).toContain('switchboard login-link');
  }
});

it('looking at a link does not use it up', async () => {
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

it('a login leads on to a path of ours', async () => {
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
])('a login does not lead to %j', async (next) => {
  const answer = await hub.ask(`${await hub.makeLink()}&next=${encodeURIComponent(next)}`);
  expect(answer.status).toBe(200);
  expect(destinationOf(answer)).toBe('/');
});

it('a login leads nowhere else by what looks like the end of its script', async () => {
  const next = '/?</script><script>alert(1)</script>';
  const answer = await hub.ask(`${await hub.makeLink()}&next=${encodeURIComponent(next)}`);
  expect(answer.text.match(/<\/?script>/g)).toEqual(['<script>', '</script>']);
  const [, script] = /<script>(.*)<\/script>/s.exec(answer.text)!;
  const hash = createHash('sha256').update(script!).digest('base64');
  expect(answer.headers['content-security-policy']).toContain(
    `default-src 'none'; script-src 'sha256-${hash}';`,
  );
});

it('neither links nor sessions nor the admin token are stored or logged in clear', async () => {
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
  expect(logged).toContain('"msg":"login refused"');
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
