import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, REDIRECT_URI } from './client';
import { type Receiver, startReceiver } from './receiver';

/** Actions of the developer panel and the events that they send (document, 5.1, 5.4 and 6.1). */
const EVENTS = `deal.created deal.updated deal.status_changed deal.deleted contact.created contact.updated
  task.created task.completed scenario.executed agent.triggered`.split(/\s+/);

let sandbox: Sandbox;
let receiver: Receiver;
let client: Client;

beforeEach(async () => {
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant' });
  client = new Client(sandbox);
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

interface PanelResponse {
  status: number;
  body: unknown;
}

async function panel(method: string, path: string, body?: object): Promise<PanelResponse> {
  const response = await fetch(`${sandbox.baseUrl}/panel${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

const record = z.looseObject({ id: z.number() });
const list = z.object({ data: z.array(z.looseObject({ id: z.union([z.number(), z.string()]) })) });

const listed = async (path: string) => list.parse((await panel('GET', path)).body).data;

async function listen(): Promise<void> {
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: EVENTS });
}

/** Types and data of the received events, ordered by type. */
async function sentEvents(count: number): Promise<[event: string, data: unknown][]> {
  await receiver.untilReceived(count);
  return receiver
    .notifications()
    .toSorted((a, b) => EVENTS.indexOf(a.event) - EVENTS.indexOf(b.event))
    .map(({ event, data }) => [event, data]);
}

describe('deals in the panel', () => {
  beforeEach(listen);

  test('creating a deal lists it, makes it readable over the API, and sends deal.created', async () => {
    const fields = { name: 'By hand', pipeline_id: 12, responsible_user_id: 503 };
    const { status, body } = await panel('POST', '/deals', fields);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...fields, status_id: 1201 });
    expect(await listed('/deals')).toContainEqual(body);
    const { access_token: token } = await client.connect('deals');
    const own = await client.api('GET', `/v1/deals/${record.parse(body).id}`, token);
    expect(await own.json()).toEqual(body);
    expect(await sentEvents(1)).toEqual([['deal.created', body]]);
  });

  test.each([
    ['another name', { name: 'Renamed' }, ['deal.updated']],
    ['another user', { responsible_user_id: 504 }, ['deal.updated']],
    ['another status', { status_id: 142 }, ['deal.status_changed']],
    ['another pipeline', { pipeline_id: 12 }, ['deal.status_changed']],
    ['both', { name: 'Renamed', status_id: 1102 }, ['deal.updated', 'deal.status_changed']],
  ])('the event of a change depends on what changed: %s', async (_, changes, events) => {
    const created = record.parse(
      (await panel('POST', '/deals', { name: 'A', pipeline_id: 11, responsible_user_id: 501 })).body,
    );
    const { status, body } = await panel('PATCH', `/deals/${created.id}`, changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: created.id, ...changes });
    expect(body).not.toMatchObject({ updated_at: created.updated_at });
    expect(await sentEvents(1 + events.length)).toEqual([
      ['deal.created', created],
      ...events.map((event) => [event, body]),
    ]);
  });

  test('a change without effect sends no event', async () => {
    const { body: created } = await panel('POST', '/deals', { name: 'A' });
    const { id } = record.parse(created);
    expect((await panel('PATCH', `/deals/${id}`, { name: 'A' })).body).toEqual(created);
    await panel('DELETE', `/deals/${id}`);
    expect((await sentEvents(2)).map(([event]) => event)).toEqual(['deal.created', 'deal.deleted']);
  });

  test('deleting a deal removes it and sends deal.deleted with its last state', async () => {
    const { body: created } = await panel('POST', '/deals', { name: 'A' });
    const { id } = record.parse(created);
    expect((await panel('DELETE', `/deals/${id}`)).status).toBe(204);
    expect(await listed('/deals')).not.toContainEqual(created);
    expect((await panel('DELETE', `/deals/${id}`)).status).toBe(404);
    expect((await sentEvents(2))[1]).toEqual(['deal.deleted', created]);
  });

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['an unknown pipeline', { name: 'A', pipeline_id: 1 }, 'pipeline_id'],
    ['a status of another pipeline', { name: 'A', pipeline_id: 11, status_id: 1201 }, 'status_id'],
    ['an unknown user', { name: 'A', responsible_user_id: 1 }, 'responsible_user_id'],
    ['an unknown field', { name: 'A', colour: 'red' }, 'body'],
  ])('a deal with %s is rejected and sends no event', async (_, deal, field) => {
    const before = await listed('/deals');
    const response = await panel('POST', '/deals', deal);
    expect(response).toMatchObject({ status: 422, body: { code: 'invalid_request', errors: [{ field }] } });
    expect(await listed('/deals')).toEqual(before);
  });
});

describe('contacts, tasks, scenarios and agents in the panel', () => {
  beforeEach(listen);

  test('a contact is created and changed', async () => {
    const created = (await panel('POST', '/contacts', { name: 'Ada', company: 'Engines' })).body;
    const { id } = record.parse(created);
    const changed = (await panel('PATCH', `/contacts/${id}`, { phone: '+15550001' })).body;
    expect(changed).toMatchObject({ id, name: 'Ada', company: 'Engines', phone: '+15550001' });
    expect(await listed('/contacts')).toContainEqual(changed);
    expect(await sentEvents(2)).toEqual([
      ['contact.created', created],
      ['contact.updated', changed],
    ]);
    expect((await panel('PATCH', '/contacts/1', { name: 'A' })).status).toBe(404);
  });

  test('a task is created for an existing deal and completed once', async () => {
    const deal = (await listed('/deals'))[0]?.id;
    const created = (await panel('POST', '/tasks', { title: 'Call', deal_id: deal })).body;
    const { id } = record.parse(created);
    expect(created).toMatchObject({ title: 'Call', deal_id: deal, is_completed: false });
    expect(await listed('/tasks')).toEqual([created]);
    const completed = await panel('POST', `/tasks/${id}/complete`);
    expect(completed).toMatchObject({ status: 200, body: { id, is_completed: true } });
    expect(await listed('/tasks')).toEqual([]);
    expect((await panel('POST', `/tasks/${id}/complete`)).status).toBe(404);
    expect((await panel('POST', '/tasks', { title: 'Call', deal_id: 1 })).status).toBe(422);
    expect(await sentEvents(2)).toEqual([
      ['task.created', created],
      ['task.completed', completed.body],
    ]);
  });

  test('a scenario is executed and an agent triggered, each for an existing deal', async () => {
    const deals = (await listed('/deals')).map(({ id }) => id);
    const scenario = (await listed('/scenarios'))[1];
    const agent = (await listed('/agents'))[1];
    const executed = (await panel('POST', `/scenarios/${scenario?.id}/execute`)).body;
    const triggered = (await panel('POST', `/agents/${agent?.id}/trigger`)).body;
    expect(executed).toMatchObject({ scenario_id: scenario?.id, name: scenario?.name });
    expect(triggered).toMatchObject({ agent_id: agent?.id, name: agent?.name });
    const runs = await sentEvents(2);
    expect(runs).toEqual([
      ['scenario.executed', executed],
      ['agent.triggered', triggered],
    ]);
    for (const [, data] of runs)
      expect(deals).toContain(z.looseObject({ deal_id: z.number() }).parse(data).deal_id);
    expect((await panel('POST', '/scenarios/1/execute')).status).toBe(404);
    expect((await panel('POST', '/agents/1/trigger')).status).toBe(404);
  });
});

describe('manual events', () => {
  beforeEach(listen);

  test.each(EVENTS)('%s is sent with exactly the given data', async (type) => {
    const data = { id: 7, anything: ['at', { all: null }] };
    expect((await panel('POST', '/events', { type, data })).status).toBe(202);
    expect(await sentEvents(1)).toEqual([[type, data]]);
  });

  test('without data, a generated record is sent', async () => {
    for (const type of EVENTS) await panel('POST', '/events', { type });
    for (const [, data] of await sentEvents(10)) expect(data).toMatchObject({ id: expect.any(Number) });
  });
});

describe('refresh tokens in the panel', () => {
  test('are listed by their last four characters, used ones not at all', async () => {
    const first = await client.connect('webhooks,deals');
    const { body: second } = await client.refresh(first.refresh_token);
    const tokens = await listed('/refresh-tokens');
    expect(tokens).toMatchObject([
      {
        client_id: client.credentials.client_id,
        scopes: ['deals', 'webhooks'],
        last_four: second.refresh_token.slice(-4),
      },
    ]);
    const page = await (await fetch(`${sandbox.baseUrl}/panel`)).text();
    for (const token of [second.refresh_token, second.access_token])
      expect(JSON.stringify(tokens) + page).not.toContain(token);
  });

  test('are revoked individually, with the access tokens of the same grant', async () => {
    const [revoked, other] = [await client.connect('webhooks'), await client.connect('webhooks')];
    const [first] = await listed('/refresh-tokens');
    expect((await panel('DELETE', `/refresh-tokens/${first?.id}`)).status).toBe(204);
    expect((await client.refresh(revoked.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.api('GET', '/v1/webhooks', revoked.access_token)).status).toBe(401);
    expect((await client.refresh(other.refresh_token)).response.status).toBe(200);
    expect((await panel('DELETE', `/refresh-tokens/${first?.id}`)).status).toBe(404);
  });
});

describe('redirect URIs in the panel', () => {
  test('can be changed, and only the new ones are accepted', async () => {
    const path = `/applications/${client.credentials.client_id}`;
    const moved = 'https://relay.example/moved';
    expect((await panel('PATCH', path, { redirect_uris: [moved] })).body).toEqual({
      client_id: client.credentials.client_id,
      name: 'Test',
      redirect_uris: [moved],
    });
    expect((await client.authorize({ redirect_uri: moved })).searchParams.has('code')).toBe(true);
    const old = await fetch(client.authorizeUrl({ redirect_uri: REDIRECT_URI }), { redirect: 'manual' });
    expect([old.status, old.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['six URIs', { redirect_uris: Array.from({ length: 6 }, (_, at) => `https://a.example/${at}`) }],
    ['none', { redirect_uris: [] }],
    ['http outside loopback', { redirect_uris: ['http://a.example/'] }],
    ['no change', {}],
  ])('cannot be changed to %s', async (_, changes) => {
    const path = `/applications/${client.credentials.client_id}`;
    expect(await panel('PATCH', path, changes)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    });
    expect((await client.authorize()).searchParams.has('code')).toBe(true);
  });
});
