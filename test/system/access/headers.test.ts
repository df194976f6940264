import { VERSION } from '../../../src/relay/ground/version';
import { AccessHarness } from './access-harness';

const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

let hub: AccessHarness;
beforeAll(async () => {
  hub = await AccessHarness.start();
});
afterAll(() => hub.dispose());

it('responses have a content security policy that works without https', async () => {
  for (const path of ['/api/v1/open', '/api/v1/nowhere', '/events']) {
    const { headers } = await hub.ask(path, { headers: hub.bearer });
    expect(headers['content-security-policy']).toBe(POLICY);
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('DENY');
  }
});

it('behind https they require it', async () => {
  const secure = await AccessHarness.start({ PUBLIC_URL: 'https://hub.example' });
  expect((await secure.ask('/api/v1/open')).headers['strict-transport-security']).toMatch(/^max-age=\d+/);
  await secure.dispose();
});

it('API responses are not cached', async () => {
  for (const path of ['/api/v1/open', '/api/v1/probe', '/api/v1/nowhere']) {
    expect((await hub.ask(path)).headers['cache-control']).toBe('no-store');
  }
});

async function version(path: string) {
  const { headers } = await hub.ask(path, { headers: hub.bearer });
  return headers['switchboard-version'];
}

it('API responses name the version, other pages do not', async () => {
  expect(await version('/api/v1/open')).toBe(VERSION);
  expect(await version('/api/v1/nowhere')).toBe(VERSION);
  expect(await version('/events')).toBeUndefined();
});

it('responses of the intake have none of these headers', async () => {
  const { status, headers } = await hub.ask('/hooks/key', { method: 'POST' });
  expect(status).toBe(404);
  expect(Object.keys(headers).sort()).toEqual([
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
  ]);
});
