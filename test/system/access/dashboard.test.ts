import { rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { AccessHarness, makeFolder } from './access-harness';

let hub: AccessHarness;
let folder: string;
beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><meta name="hub-name" content="" /><title>the dashboard</title>',
  );
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets', 'main-1a2b.js'), 'start()');
  // Read as they are, without a browser.
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.br'), 'start(br)');
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.gz'), 'start(gz)');
  const listed = ['index.html', 'favicon.svg', 'assets/main-1a2b.js'];
  writeFileSync(join(folder, 'files.json'), JSON.stringify(listed));
  writeFileSync(join(folder, 'unlisted.db'), 'SQLite format 3');
  hub = await AccessHarness.start({ SWITCHBOARD_NAME: 'Production "EU" <1>' }, folder);
});
afterAll(async () => {
  await hub.dispose();
  rmSync(folder, { recursive: true });
});

const view = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

it.each(['/', '/events', '/events/evt_01', '/targets/new?from=menu', '/no.such.screen', '/apiary'])(
  '%s opens the dashboard',
  async (path) => {
    const response = await hub.ask(path, view);
    expect(response.status).toBe(200);
    expect(response.text).toContain('the dashboard');
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.headers['cache-control']).toBe('no-cache');
    expect(response.headers['content-security-policy']).toContain("default-src 'self'");
  },
);

it.each(['GET', 'HEAD'])('/ opens the dashboard for %s of a program, too', async (method) => {
  const response = await hub.ask('/', { method, headers: { accept: '*/*' } });
  expect(response.status).toBe(200);
  expect(response.headers['content-type']).toMatch(/^text\/html/);
});

it('names the hub in the page, before signing in, by default by its host', async () => {
  for (const path of ['/', '/sign-in', '/index.html'])
    expect((await hub.ask(path, view)).text).toContain(
      '<meta name="hub-name" content="Production &#34;EU&#34; &#60;1&#62;" />',
    );
  const unnamed = await AccessHarness.start({ PUBLIC_URL: 'https://hub.example' }, folder);
  expect((await unnamed.ask('/', view)).text).toContain('content="hub.example"');
  await unnamed.dispose();
});

it('files with a hash in their name are cached forever, others are revalidated', async () => {
  const script = await hub.ask('/assets/main-1a2b.js');
  expect(script.text).toBe('start()');
  expect(script.headers['content-type']).toMatch(/javascript/);
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const icon = await hub.ask('/favicon.svg', view);
  expect(icon.text).toBe('<svg/>');
  expect(icon.headers['cache-control']).toBe('no-cache');
  expect(icon.headers.etag).toBeDefined();
});

it.each([
  ['br, gzip', 'br', 'start(br)'],
  ['gzip', 'gzip', 'start(gz)'],
  ['identity', undefined, 'start()'],
])('clients that accept %s get the compressed file of the build', async (encodings, encoding, text) => {
  const response = await hub.ask('/assets/main-1a2b.js', { headers: { 'accept-encoding': encodings } });
  expect(response.headers['content-encoding']).toBe(encoding);
  expect(response.headers.vary).toMatch(/accept-encoding/i);
  expect(response.headers['content-type']).toMatch(/javascript/);
  expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(response.text).toBe(text);
});

it('a missing script returns 404 instead of a page', async () => {
  const response = await hub.ask('/assets/main-0000.js', { headers: { accept: '*/*' } });
  expect(response).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

it.each(['/unlisted.db', '/files.json', '/assets', '/assets/', '/./favicon.svg'])(
  'only what the build has listed is served, so %s is not',
  async (path) => {
    const response = await hub.ask(path, { headers: { accept: '*/*' } });
    expect(response).toMatchObject({ status: 404, json: { code: 'not_found' } });
  },
);

it.each(['/api', '/oauth/x', '/login/x', '/socket.io/x', '/metrics', '/readyz/x', '/hooks/a/b'])(
  '%s never opens the dashboard',
  async (path) => {
    const code = path.startsWith('/hooks/') ? 'unknown_key' : 'not_found';
    expect(await hub.ask(path, view)).toMatchObject({ status: 404, json: { code } });
  },
);

it.each(['/../switchboard.db', '/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2findex.ts', '/%00', `/..%2f`])(
  '%s reaches nothing outside the folder',
  async (path) => {
    const outside = join(dirname(folder), 'switchboard.db');
    writeFileSync(outside, 'outside');
    const response = await hub.ask(path, { headers: { accept: '*/*' } });
    rmSync(outside);
    expect([400, 403, 404]).toContain(response.status);
    expect(response.text).not.toContain('outside');
  },
);

it('explains that the dashboard has not been built', async () => {
  const bare = await AccessHarness.start();
  const response = await bare.ask('/', view);
  expect(response.status).toBe(404);
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(response.text).toMatch(/^The dashboard has not been built\. Run npm run build\./);
  await bare.dispose();
});

it('closes immediately despite keep-alive connections and those that browsers open in advance', async () => {
  const closing = await AccessHarness.start();
  const open = async (first: string): Promise<Socket> => {
    const socket = connect(closing.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    if (first === '') return socket;
    socket.write(first);
    await new Promise((resolve) => socket.once('data', resolve));
    return socket;
  };
  const sockets = [await open('GET /api/v1/open HTTP/1.1\r\nhost: x\r\n\r\n'), await open('')];
  // The server is notified of a connection after the client.
  await closing.ask('/api/v1/open');
  const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const startedAt = performance.now();
  await closing.dispose();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  await ended;
});
