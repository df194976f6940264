import { connect } from 'node:net';
import { AccessHarness } from './access-harness';

let hub: AccessHarness;
beforeAll(async () => {
  hub = await AccessHarness.start();
});
afterAll(() => hub.dispose());

const post = (json: unknown, headers = {}) =>
  hub.ask('/api/v1/probe', { method: 'POST', json, headers: { ...hub.bearer, ...headers } });

it('an unknown URL responds with a problem that does not repeat the URL', async () => {
  for (const [method, path] of [
    ['GET', '/api/v1/nowhere?token=abc'],
    ['POST', '/api/v1/nowhere'],
    ['PUT', '/nowhere'],
    ['PUT', '/'],
  ] as const) {
    const response = await hub.ask(path, { method, headers: { ...hub.bearer, accept: 'text/html' } });
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      code: 'not_found',
      detail: 'There is no route at this URL.',
    });
  }
});

it.each([
  ['PUT', '/api/v1/probe', 'GET, HEAD, POST'],
  ['OPTIONS', '/api/v1/probe?x=1', 'GET, HEAD, POST'],
  ['DELETE', '/api/v1/named/%20a', 'GET, HEAD'],
  ['GET', '/api/v1/login-links', 'POST'],
  ['PUT', '/healthz', 'GET, HEAD'],
])('a known path names its methods to another one: %s %s', async (method, path, allow) => {
  const response = await hub.ask(path, { method, headers: { ...hub.bearer, accept: 'text/html' } });
  expect(response).toMatchObject({
    status: 405,
    json: { status: 405, code: 'method_not_allowed', remedy: expect.stringContaining(allow) },
    headers: { allow, 'x-content-type-options': 'nosniff' },
  });
});

it('and only to those who may see it', async () => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: 'other=1' }]) {
    const response = await hub.ask('/api/v1/probe', { method: 'PUT', headers });
    expect(response).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(response.headers).not.toHaveProperty('allow');
  }
  expect(await hub.ask('/healthz', { method: 'DELETE' })).toMatchObject({ status: 405 });
});

it('invalid input is rejected with the path of every fault', async () => {
  const response = await post({ name: 1, sizes: [1, 'two'], extra: true });
  expect(response).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  const faults = ['name', 'sizes.1', ''].map((path) => ({ path, message: expect.any(String) }));
  expect(response.json).toMatchObject({ errors: faults });
});

it('a schema error from deeper code responds the same way', async () => {
  const response = await hub.ask('/api/v1/fails/schema', { headers: hub.bearer });
  expect(response).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', errors: [{ path: 'name' }] },
  });
});

it('errors of Fastify are problems, too', async () => {
  const raw = (body: string, type: string) =>
    hub.ask('/api/v1/probe', { method: 'POST', body, headers: { ...hub.bearer, 'content-type': type } });
  expect(await raw('{"name":', 'application/json')).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  });
  expect(await raw('<name/>', 'text/xml')).toMatchObject({
    status: 415,
    json: { code: 'unsupported_media_type' },
  });
  expect(await post({ name: 'x'.repeat(16 * 1024) })).toMatchObject({
    status: 413,
    json: { code: 'body_too_large' },
  });
  expect((await post({ name: 'x'.repeat(15 * 1024) })).status).toBe(201);
  const malformed = await hub.ask('/api/v1/named/%zz', { headers: hub.bearer });
  expect(malformed).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  expect(malformed.headers['content-type']).toMatch(/^application\/problem\+json/);
});

it('a URL may contain a key of 200 characters', async () => {
  const response = await hub.ask(`/api/v1/named/${'k'.repeat(200)}`, { headers: hub.bearer });
  expect(response.json).toEqual({ length: 200 });
});

it('malformed HTTP gets a problem, and the connection is closed', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(hub.port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
  const [head, body] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(head).toContain('content-type: application/problem+json');
  expect(JSON.parse(body!)).toMatchObject({ status: 400, code: 'invalid_request' });
});

it('a RelayError keeps its code, remedy and errors', async () => {
  expect(await hub.ask('/api/v1/fails/taken', { headers: hub.bearer })).toMatchObject({
    status: 409,
    json: {
      title: 'Conflict',
      code: 'conflict',
      detail: 'It is taken.',
      errors: [{ path: 'name', message: 'taken' }],
    },
  });
});

it('a temporary error says when to retry', async () => {
  const response = await hub.ask('/api/v1/fails/away', { headers: hub.bearer });
  expect(response).toMatchObject({ status: 503, json: { code: 'storage_failed', remedy: 'Make room.' } });
  expect(response.headers['retry-after']).toBe('5');
});

it('an internal error tells the caller nothing, and the log everything but secrets', async () => {
  const response = await hub.ask('/api/v1/fails/unknown?token=abc', { headers: hub.bearer });
  expect(response.json).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    code: 'internal_error',
    detail: 'An unexpected error occurred. See the log for details.',
  });
  const record = hub.logged.split('\n').find((line) => line.includes('the reason why'))!;
  expect(JSON.parse(record)).toMatchObject({
    status: 500,
    method: 'GET',
    route: '/api/v1/fails/:how',
    fault: { message: 'the reason why', stack: expect.any(String), cause: { message: 'what lay below' } },
  });
  expect(hub.logged).not.toContain('upstream-secret');
  expect(hub.logged).not.toContain('token=abc');
});
