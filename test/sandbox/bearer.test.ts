import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { parseResponse } from './parse-response';

/** How API requests are authenticated, and which scope each needs (document, 5.3 and 5.5). */
let sandbox: Sandbox;
let client: Client;

beforeEach(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  client = new Client(sandbox);
});
afterEach(() => sandbox.close());

const ENDPOINTS = [
  ['GET', '/v1/deals'],
  ['GET', '/v1/webhooks'],
  ['POST', '/v1/webhooks'],
  ['PATCH', '/v1/webhooks/wh_1'],
  ['DELETE', '/v1/webhooks/wh_1'],
] as const;

describe.each(ENDPOINTS)('%s %s', (method, path) => {
  test('requires an access token', async () => {
    const response = await fetch(sandbox.baseUrl + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="Co-Pilot"');
    expect(await response.json()).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('requires a valid access token', async () => {
    const response = await client.api(method, path, 'made-up');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await response.json()).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  test('requires the scope of its resource', async () => {
    const [needed, others] =
      path === '/v1/deals' ? ['deals', 'webhooks,contacts'] : ['webhooks', 'deals,contacts'];
    const { access_token: token } = await client.connect(others);
    const response = await client.api(method, path, token);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain(
      `error="insufficient_scope", scope="${needed}"`,
    );
    expect(await response.json()).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });
});

test.each([['Basic'], ['Token']])('a token with the scheme %s is rejected', async (scheme) => {
  const { access_token: token } = await client.connect('deals');
  const headers = { authorization: `${scheme} ${token}` };
  expect((await fetch(`${sandbox.baseUrl}/v1/deals`, { headers })).status).toBe(401);
});

test('a refresh token, or a token in the query, is rejected', async () => {
  const { access_token: access, refresh_token: refresh } = await client.connect('deals');
  expect((await client.api('GET', '/v1/deals', refresh)).status).toBe(401);
  expect((await fetch(`${sandbox.baseUrl}/v1/deals?access_token=${access}`)).status).toBe(401);
});

test('GET /v1/deals returns all deals with the fields of the document, 2.1', async () => {
  const { access_token: token } = await client.connect('deals');
  const { id } = sandbox.emit('deal.created').data;
  const deals = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
  const { data } = await parseResponse(await client.api('GET', '/v1/deals', token), deals);
  const deal = data.find((one) => one.id === id);
  expect(deal).toEqual({
    id,
    name: expect.any(String),
    status_id: expect.any(Number),
    pipeline_id: expect.any(Number),
    responsible_user_id: expect.any(Number),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    _links: { self: `${sandbox.baseUrl}/v1/deals/${String(id)}` },
  });
});

test('an unknown path responds with 404 and a problem', async () => {
  const response = await fetch(`${sandbox.baseUrl}/v2/deals`);
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
});
