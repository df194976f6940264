import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, type TokenAnswer } from './client';
import { TimerClock } from './timer-clock';
import { readAnswer } from './read-answer';
import { type Receiver, startReceiver } from './receiver';
import { turn } from './turn-switches';
import { until } from '../support/until';

/** What the sandbox can be told to do wrong, each a switch whose effect is seen over HTTP. */
let clock: TimerClock;
let sandbox: Sandbox;
let receiver: Receiver;
let client: Client;
let tokens: TokenAnswer;

beforeEach(async () => {
  clock = new TimerClock();
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant', clock });
  client = new Client(sandbox);
  tokens = await client.connect('webhooks,deals');
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

const fault = (changes: object): Promise<{ status: number; body: unknown }> =>
  turn(sandbox, 'faults', changes);
const now = async (): Promise<unknown> => (await fetch(`${sandbox.baseUrl}/panel/faults`)).json();
const deals = (): Promise<Response> => client.api('GET', '/v1/deals', tokens.access_token);
const refreshRaw = (): Promise<Response> =>
  fetch(`${sandbox.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...client.credentials,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }),
  });

describe('the switches', () => {
  test('are off at first; true is until it is turned off, a number is the next so many times', async () => {
    expect(Object.values(Object(await now()))).toEqual(Array(11).fill(false));
    await fault({ api_500: true });
    for (let i = 0; i < 3; i++) expect((await deals()).status).toBe(500);
    await fault({ api_500: 2 });
    expect((await deals()).status).toBe(500);
    expect(await now()).toMatchObject({ api_500: 1 });
    expect((await deals()).status).toBe(500);
    expect((await deals()).status).toBe(200);
    expect(await now()).toMatchObject({ api_500: false });
    await fault({ api_500: true });
    await fault({ api_500: false });
    expect((await deals()).status).toBe(200);
  });

  test('are refused with every fault named, and nothing is changed', async () => {
    const refused = await fault({ api_500: true, api_401: 'yes', api_403: 0, flood: true });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'api_401' }, { field: 'api_403' }, { field: 'body' }] },
    });
    expect(JSON.stringify(refused.body)).toContain('There is no flood. Send one of: token_reset, ');
    expect((await deals()).status).toBe(200);
  });

  test('are given at the start, too', async () => {
    await sandbox.close();
    sandbox = await startSandbox({ consent: 'grant', faults: { token_500: 1 } });
    const fresh = new Client(sandbox);
    expect((await fresh.exchange(await fresh.code())).answer.status).toBe(500);
    expect((await fresh.exchange(await fresh.code())).answer.status).toBe(200);
  });
});

describe('the token endpoint', () => {
  test('drops the connection and carries nothing out', async () => {
    await fault({ token_reset: 1 });
    await expect(refreshRaw()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await refreshRaw()).status).toBe(200);
  });

  test('answers 500 and carries nothing out', async () => {
    await fault({ token_500: 1 });
    expect((await refreshRaw()).status).toBe(500);
    expect((await refreshRaw()).status).toBe(200);
  });

  test('answers 200 with HTML and carries nothing out', async () => {
    await fault({ token_html: 1 });
    const answer = await refreshRaw();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toMatch(/^<!doctype html>/);
    expect((await refreshRaw()).status).toBe(200);
  });

  test('renews and loses its answer, so that the refresh token is used up', async () => {
    await fault({ token_lost: 1 });
    await expect(refreshRaw()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is not hit by faults of the API, nor the API by its', async () => {
    await fault({ api_500: true });
    expect((await refreshRaw()).status).toBe(200);
    await fault({ api_500: false, token_500: true, token_html: true });
    expect((await fetch(`${sandbox.baseUrl}/panel/applications`)).status).toBe(200);
    expect((await client.api('GET', '/v1/deals', 'none')).status).toBe(401);
  });
});

describe('the API', () => {
  test.each([
    ['api_401', 401, 'www-authenticate', 'Bearer realm="Co-Pilot", error="invalid_token"'],
    ['api_403', 403, 'retry-after', null],
    ['api_429', 429, 'retry-after', '5'],
    ['api_500', 500, 'retry-after', null],
  ])('%s: answers %d, and nothing is carried out', async (name, status, header, value) => {
    await fault({ [name]: 1 });
    const webhook = { url: receiver.url, events: ['deal.created'], active: true, secret: 's' };
    const answer = await client.api('POST', '/v1/webhooks', tokens.access_token, webhook);
    expect([answer.status, answer.headers.get(header)]).toEqual([status, value]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const listed = await client.api('GET', '/v1/webhooks', tokens.access_token);
    expect([listed.status, await listed.json()]).toEqual([200, { data: [] }]);
  });

  test('says how long to wait as the reading has it', async () => {
    await turn(sandbox, 'readings', { retry_after_seconds: 0 });
    await fault({ api_429: 1 });
    expect((await deals()).headers.get('retry-after')).toBe('0');
  });

  test('answers late, though what was asked for is carried out at once', async () => {
    await turn(sandbox, 'readings', { slow_answer_seconds: 30 });
    await fault({ api_slow: 1 });
    const webhook = { url: receiver.url, events: ['deal.created'], active: true, secret: 's' };
    let isAnswered = false;
    const answer = client.api('POST', '/v1/webhooks', tokens.access_token, webhook).then((response) => {
      isAnswered = true;
      return response;
    });
    await until('the webhook', () => sandbox.emit('deal.created').webhookIds.length === 1);
    clock.move(29_999);
    expect((await deals()).status).toBe(200);
    expect(isAnswered).toBe(false);
    clock.move(1);
    expect((await answer).status).toBe(201);
  });

  test('forgets a late answer when its client gives up, or when the sandbox closes', async () => {
    await fault({ api_slow: true });
    const givingUp = new AbortController();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const given = fetch(`${sandbox.baseUrl}/v1/deals`, { headers, signal: givingUp.signal });
    await until('the first', () => clock.alarmsSet === 1);
    givingUp.abort();
    await expect(given).rejects.toThrow('aborted');
    await until('the end of the first', () => clock.alarmsSet === 0);
    const closed = deals().catch(() => 'gone');
    await until('the second', () => clock.alarmsSet === 1);
    await sandbox.close();
    expect(await closed).toBe('gone');
    await until('the end of the second', () => clock.alarmsSet === 0);
  });
});

describe('notifications', () => {
  test('come twice, the same bytes', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await fault({ notifications_duplicated: 1 });
    sandbox.emit('deal.created');
    await receiver.untilReceived(2);
    sandbox.emit('deal.created');
    await receiver.untilReceived(3);
    const [first, second, third] = receiver.received.map(({ body }) => body.toString());
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('change places with the next one for their webhook', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await fault({ notifications_reordered: true });
    for (const name of ['first', 'second', 'third', 'fourth']) {
      sandbox.emit('deal.created', { name });
      if (name === 'second') await receiver.untilReceived(2);
    }
    await receiver.untilReceived(4);
    expect(receiver.notifications().map(({ data }) => data['name'])).toEqual([
      'second',
      'first',
      'fourth',
      'third',
    ]);
  });

  test('that are held back go after three seconds, though no other comes', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await fault({ notifications_reordered: 1 });
    sandbox.emit('deal.created');
    clock.move(2_999);
    expect([clock.alarmsSet, receiver.received]).toEqual([1, []]);
    clock.move(1);
    await receiver.untilReceived(1);
  });
});

const acts = (method: string, id: string, body?: object): Promise<Response> =>
  fetch(`${sandbox.baseUrl}/panel/webhooks/${id}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const listed = async (): Promise<unknown> =>
  (await client.api('GET', '/v1/webhooks', tokens.access_token)).json();

describe('somebody else', () => {
  test('changes the events, the activity and the address of a webhook', async () => {
    const id = await client.register(tokens.access_token, { url: 'https://relay.example/old' });
    const changes = { url: receiver.url, events: ['task.created'], active: false };
    expect((await acts('PATCH', id, changes)).status).toBe(204);
    expect(await listed()).toEqual({ data: [{ webhook_id: id, ...changes }] });
    await acts('PATCH', id, { active: true });
    expect(sandbox.emit('task.created').webhookIds).toEqual([id]);
    await receiver.untilReceived(1);
  });

  test('deletes a webhook', async () => {
    const id = await client.register(tokens.access_token, { url: receiver.url });
    expect((await acts('DELETE', id)).status).toBe(204);
    expect(await listed()).toEqual({ data: [] });
    expect((await acts('DELETE', id)).status).toBe(404);
    expect((await acts('PATCH', 'wh_1', { active: true })).status).toBe(404);
  });

  test.each([[{ url: 'http://relay.example/' }], [{ events: [] }], [{ secret: 'x' }]])(
    'cannot make of a webhook what its application could not: %j',
    async (changes) => {
      const id = await client.register(tokens.access_token, { url: receiver.url });
      expect((await acts('PATCH', id, changes)).status).toBe(422);
    },
  );

  test('revokes a refresh token, and with it all that was granted', async () => {
    const list = await fetch(`${sandbox.baseUrl}/panel/refresh-tokens`);
    const { data } = await readAnswer(list, z.object({ data: z.tuple([z.object({ id: z.string() })]) }));
    const revoked = `${sandbox.baseUrl}/panel/refresh-tokens/${data[0].id}`;
    expect((await fetch(revoked, { method: 'DELETE' })).status).toBe(204);
    expect((await deals()).status).toBe(401);
    const { answer, body } = await client.refresh(tokens.refresh_token);
    expect([answer.status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('makes a new Client Secret: the old one is refused, the tokens live on', async () => {
    const { client_id: id } = client.credentials;
    const url = `${sandbox.baseUrl}/panel/applications/${id}/secret`;
    const made = await fetch(url, { method: 'POST' });
    const { client_secret } = await readAnswer(made, z.object({ client_secret: z.string() }));
    const { answer, body } = await client.refresh(tokens.refresh_token);
    expect([answer.status, body.error]).toEqual([401, 'invalid_client']);
    expect((await deals()).status).toBe(200);
    expect((await client.refresh(tokens.refresh_token, { client_secret })).answer.status).toBe(200);
  });
});
