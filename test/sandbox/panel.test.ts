import { request } from 'node:http';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import type { LogRecord } from '../../src/sandbox/sandbox-log';
import { Client, REDIRECT_URI } from './client';
import { type Receiver, startReceiver } from './receiver';
import { until } from '../support/until';

/** The developer panel (document, 5.1) and the sandbox's log. */
let sandbox: Sandbox;
let receiver: Receiver;
let log: LogRecord[];

beforeEach(async () => {
  log = [];
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant', log: (record) => log.push(record) });
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

async function panel(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${sandbox.baseUrl}/panel${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const uris = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `https://relay.example/${at}`);

/** The status of a request with this `Host`. */
const statusUnder = (host: string, path = '/panel', method = 'GET') =>
  new Promise<number>((resolve, reject) => {
    const { port } = new URL(sandbox.baseUrl);
    request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

it('is not served under a domain name that could be rebound', async () => {
  const { port } = new URL(sandbox.baseUrl);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ]) {
    expect([host, await statusUnder(host)]).toEqual([host, 403]);
    expect([host, await statusUnder(host, '/panel/traffic', 'PATCH')]).toEqual([host, 403]);
    expect([host, await statusUnder(host, '/panel/applications')]).toEqual([host, 403]);
  }
  for (const host of ['localhost', '127.0.0.1', '[::1]', '192.0.2.7', 'sandbox'])
    expect([host, await statusUnder(`${host}:${port}`)]).toEqual([host, 200]);
});

const isValidSecret = async (client: Client, secret: string): Promise<boolean> =>
  (await client.refresh('made-up', { client_secret: secret })).body.error === 'invalid_grant';

describe('applications', () => {
  test('are created with a Client ID and a Client Secret, which is shown only once', async () => {
    const created = await panel('POST', '/applications', { name: 'Relay', redirect_uris: [REDIRECT_URI] });
    const credentials = z.object({ client_id: z.string(), client_secret: z.string() }).parse(created.body);
    expect(created.status).toBe(201);
    const { body } = await panel('GET', '/applications');
    expect(body).toEqual({
      data: [{ client_id: credentials.client_id, name: 'Relay', redirect_uris: [REDIRECT_URI] }],
    });
    const page = await (await fetch(`${sandbox.baseUrl}/panel`)).text();
    expect(page).toContain('Create application');
    expect(page + JSON.stringify(body)).not.toContain(credentials.client_secret);
  });

  test('can have at most 5 redirect URIs', async () => {
    expect((await panel('POST', '/applications', { name: 'Five', redirect_uris: uris(5) })).status).toBe(201);
    const six = await panel('POST', '/applications', { name: 'Six', redirect_uris: uris(6) });
    expect(six).toMatchObject({ status: 422, body: { errors: [{ field: 'redirect_uris' }] } });
    expect(() => sandbox.createApplication({ name: 'Six', redirectUris: uris(6) })).toThrow('at most 5');
  });

  test.each([
    ['no name', { name: ' ', redirect_uris: uris(1) }, 'name'],
    ['no redirect URI', { name: 'A', redirect_uris: [] }, 'redirect_uris'],
    ['http outside loopback', { name: 'A', redirect_uris: ['http://relay.example/'] }, 'redirect_uris.0'],
    ['a fragment', { name: 'A', redirect_uris: ['https://relay.example/#x'] }, 'redirect_uris.0'],
  ])('are rejected with %s', async (_, body, field) => {
    const response = await panel('POST', '/applications', body);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  test('may use http outside loopback if that is allowed, and so may webhooks', async () => {
    const open = await startSandbox({ allowHttp: true, consent: 'grant' });
    try {
      const redirect_uris = ['http://relay:4000/oauth/callback'];
      const created = await fetch(`${open.baseUrl}/panel/applications`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'A', redirect_uris }),
      });
      expect(created.status).toBe(201);
      const client = new Client(open);
      const { access_token: token } = await client.connect('webhooks');
      const webhook = {
        url: 'http://relay:4000/hooks',
        events: ['deal.created'],
        active: false,
        secret: 's',
      };
      expect((await client.api('POST', '/v1/webhooks', token, webhook)).status).toBe(201);
    } finally {
      await open.close();
    }
  });

  test('can renew their secret, which invalidates the old one', async () => {
    const client = new Client(sandbox);
    const { client_id: id, client_secret: old } = client.credentials;
    expect(await isValidSecret(client, old)).toBe(true);
    const { body } = await panel('POST', `/applications/${id}/secret`);
    const { client_secret: renewed } = z.object({ client_secret: z.string() }).parse(body);
    expect(await isValidSecret(client, renewed)).toBe(true);
    expect(await isValidSecret(client, old)).toBe(false);
    expect((await panel('POST', '/applications/nobody-s/secret')).status).toBe(404);
  });

  test('can be created with fixed credentials; with them again it is changed, with another secret refused', () => {
    const fixed = {
      name: 'Demo',
      redirectUris: [REDIRECT_URI],
      clientId: 'demo',
      clientSecret: 'demo-secret',
    };
    expect(sandbox.createApplication(fixed)).toEqual({ clientId: 'demo', clientSecret: 'demo-secret' });
    expect(sandbox.createApplication({ ...fixed, name: 'Again' })).toEqual({
      clientId: 'demo',
      clientSecret: 'demo-secret',
    });
    expect(sandbox.applications()).toContainEqual({ clientId: 'demo', name: 'Again' });
    expect(() => sandbox.createApplication({ ...fixed, clientSecret: 'other' })).toThrow('already');
  });
});

describe('webhooks and events', () => {
  test('are listed with their delivery log, without their secrets', async () => {
    const client = new Client(sandbox);
    const { access_token: token } = await client.connect('webhooks');
    const id = await client.register(token, { url: receiver.url, secret: 'do-not-show-me' });
    const emitted = await panel('POST', '/events', { type: 'deal.created', data: { name: 'By hand' } });
    expect(emitted).toMatchObject({ status: 202, body: { event: 'deal.created', webhookIds: [id] } });

    const state = z.object({ data: z.array(z.object({ state: z.string() })) });
    const deliveries = async (): Promise<unknown> => (await panel('GET', `/webhooks/${id}/deliveries`)).body;
    await until('the delivery', async () => state.parse(await deliveries()).data[0]?.state === 'delivered');
    expect(receiver.notifications()[0]?.data.name).toBe('By hand');
    expect(await deliveries()).toMatchObject({
      data: [
        { event: 'deal.created', attempts: [{ number: 1, outcome: { kind: 'response', status: 200 } }] },
      ],
    });
    const { body } = await panel('GET', '/webhooks');
    expect(body).toMatchObject({ data: [{ webhook_id: id, url: receiver.url, active: true }] });
    expect(JSON.stringify([body, await deliveries()])).not.toContain('do-not-show-me');
  });

  test('are rejected if they name something unknown', async () => {
    expect((await panel('POST', '/events', { type: 'deal.exploded' })).status).toBe(422);
    expect((await panel('GET', '/webhooks/wh_1/deliveries')).status).toBe(404);
  });
});

test('the page escapes every name and URL', async () => {
  const name = '"><img src=x>';
  const client = new Client(sandbox);
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: `${receiver.url}?<img>` });
  await panel('POST', '/deals', { name });
  await panel('POST', '/contacts', { name, company: name });
  await panel('POST', '/tasks', { title: name });
  await panel('POST', '/applications', { name, redirect_uris: ['https://relay.example/?<img>'] });
  const page = await (await fetch(`${sandbox.baseUrl}/panel`)).text();
  expect(page).not.toContain('<img');
  expect(page.match(/&#60;img/g)?.length).toBeGreaterThan(10);
});

test('a page of another site cannot use the panel', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  const response = await fetch(`${sandbox.baseUrl}/panel/applications`, { headers });
  expect([response.status, await response.json()]).toMatchObject([403, { code: 'cross_site_request' }]);
});

describe('the log', () => {
  test('has one record per request and attempt, without secrets', async () => {
    const client = new Client(sandbox);
    const code = await client.code('webhooks');
    const tokens = (await client.exchange(code)).body;
    await client.register(tokens.access_token, { url: `${receiver.url}/path-key`, secret: 'signing-secret' });
    sandbox.emit('deal.created');
    await until('four records', () => log.length === 4);
    expect(log).toMatchObject([
      { kind: 'request', method: 'GET', path: '/oauth/authorize', status: 303 },
      { kind: 'request', method: 'POST', path: '/oauth/token', status: 200 },
      { kind: 'request', method: 'POST', path: '/v1/webhooks', status: 201 },
      {
        kind: 'attempt',
        origin: new URL(receiver.url).origin,
        event: 'deal.created',
        attempt: 1,
        status: 200,
      },
    ]);
    const text = JSON.stringify(log);
    const { access_token: access, refresh_token: refresh } = tokens;
    const secrets = [
      code,
      access,
      refresh,
      client.credentials.client_secret,
      'state-1',
      'signing-secret',
      'path-key',
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test('stores the latest 1,000 requests', async () => {
    for (let batch = 0; batch < 21; batch++) {
      const requests = Array.from({ length: 50 }, () => fetch(`${sandbox.baseUrl}/batch/${batch}`));
      await Promise.all((await Promise.all(requests)).map((response) => response.text()));
    }
    await until('all requests', () => sandbox.requests().at(-1)?.path === '/batch/20');
    const paths = sandbox.requests().map(({ path }) => path);
    expect(paths).toHaveLength(1_000);
    expect(paths).not.toContain('/batch/0');
    expect(paths).toContain('/batch/1');
  });
});
