import { connect } from 'node:net';
import { Hub } from './start-hub';

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.start();
});
afterAll(() => hub.stop());

const post = (json: unknown, headers = {}) =>
  hub.ask('/api/v1/probe', { method: 'POST', json, headers: { ...hub.bearer, ...headers } });

it('an address that does not exist is a problem, and does not repeat what was asked', async () => {
  for (const [method, path] of [
    ['GET', '/api/v1/nowhere?token=abc'],
    ['POST', '/api/v1/nowhere'],
    ['PUT', '/api/v1/probe'],
    ['GET', '/api/v1/login-links'],
  ] as const) {
    const answer = await hub.ask(path, { method, headers: { accept: 'text/html' } });
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      code: 'not_found',
      detail: 'There is nothing at this address.',
    });
  }
});

it('an input that does not fit names every fault by its place', async () => {
  const answer = await post({ name: 1, sizes: [1, 'two'], extra: true });
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  const faults = ['name', 'sizes.1', ''].map((path) => ({ path, message: expect.any(String) }));
  expect(answer.json).toMatchObject({ errors: faults });
});

it('a schema that is applied further in is answered the same way', async () => {
  const answer = await hub.ask('/api/v1/fails/schema');
  expect(answer).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', errors: [{ path: 'name' }] },
  });
});

it('what Fastify refuses is a problem, too', async () => {
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

it('a key of 200 characters fits into an address', async () => {
  const answer = await hub.ask(`/api/v1/named/${'k'.repeat(200)}`, { headers: hub.bearer });
  expect(answer.json).toEqual({ length: 200 });
});

it('what is no HTTP gets a problem and no connection', async () => {
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

it('a refusal of ours keeps its code, its remedy and its errors', async () => {
  expect(await hub.ask('/api/v1/fails/taken')).toMatchObject({
    status: 409,
    json: {
      title: 'Conflict',
      code: 'taken',
      detail: 'It is taken.',
      errors: [{ path: 'name', message: 'taken' }],
    },
  });
});

it('a passing fault says when to come back', async () => {
  const answer = await hub.ask('/api/v1/fails/away');
  expect(answer).toMatchObject({ status: 503, json: { code: 'storage_failed', remedy: 'Make room.' } });
  expect(answer.headers['retry-after']).toBe('5');
});

it('a fault of ours tells the caller nothing and the log everything but secrets', async () => {
  const answer = await hub.ask('/api/v1/fails/unknown?token=abc');
  expect(answer.json).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    code: 'internal_error',
    detail: 'Switchboard failed at this. The log says more.',
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
