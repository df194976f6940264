import { rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { Hub, makeFolder } from './start-hub';

let hub: Hub;
let folder: string;
beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>the dashboard</title>');
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets', 'main-1a2b.js'), 'start()');
  // Read as they are: what a browser would make of them is not looked at here.
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.br'), 'start(br)');
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.gz'), 'start(gz)');
  hub = await Hub.start({ dashboardFolder: folder });
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

const view = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

it.each(['/', '/events', '/events/evt_01', '/targets/new?from=menu', '/no.such.screen', '/apiary'])(
  '%s is a screen',
  async (path) => {
    const answer = await hub.ask(path, view);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('the dashboard');
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
  },
);

it('files that carry a hash in their name are kept for good, others are asked for again', async () => {
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
])('to whoever takes %s a file comes as the build compressed it', async (encodings, encoding, text) => {
  const answer = await hub.ask('/assets/main-1a2b.js', { headers: { 'accept-encoding': encodings } });
  expect(answer.headers['content-encoding']).toBe(encoding);
  expect(answer.headers.vary).toMatch(/accept-encoding/i);
  expect(answer.headers['content-type']).toMatch(/javascript/);
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(answer.text).toBe(text);
});

it('a script that is gone is not answered with a page', async () => {
  const answer = await hub.ask('/assets/main-0000.js', { headers: { accept: '*/*' } });
  expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

it.each([
  '/api',
  '/api/v1/nowhere',
  '/hooks/a/b',
  '/oauth/x',
  '/login/x',
  '/socket.io/x',
  '/metrics',
  '/readyz/x',
])('%s is never a screen', async (path) => {
  expect(await hub.ask(path, view)).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

it.each(['/../switchboard.db', '/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2findex.ts', '/%00', `/..%2f`])(
  '%s reaches nothing outside the folder',
  async (path) => {
    const outside = join(dirname(folder), 'switchboard.db');
    writeFileSync(outside, 'outside');
    const answer = await hub.ask(path, { headers: { accept: '*/*' } });
    rmSync(outside);
    expect([400, 403, 404]).toContain(answer.status);
    expect(answer.text).not.toContain('outside');
  },
);

it('says so where the dashboard was not built', async () => {
  const bare = await Hub.start();
  const answer = await bare.ask('/', view);
  expect(answer.status).toBe(404);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.text).toMatch(/^The dashboard was not built: npm run build makes it\./);
  await bare.stop();
});

it('closes at once beside connections that browsers keep or opened in advance', async () => {
  const closing = await Hub.start();
  const open = async (first: string): Promise<Socket> => {
    const socket = connect(closing.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    if (first === '') return socket;
    socket.write(first);
    await new Promise((resolve) => socket.once('data', resolve));
    return socket;
  };
  const sockets = [await open('GET /api/v1/open HTTP/1.1\r\nhost: x\r\n\r\n'), await open('')];
  // The server hears of a connection after the client does.
  await closing.ask('/api/v1/open');
  const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const began = performance.now();
  await closing.stop();
  expect(performance.now() - began).toBeLessThan(3_000);
  await ended;
});
