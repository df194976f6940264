import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, REDIRECT_URI } from './client';
import { type Receiver, startReceiver } from './receiver';

/** Acts of the developer panel and the events that follow from them (document, 5.1, 5.4 and 6.1). */
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

interface PanelAnswer {
  status: number;
  body: unknown;
}

async function panel(method: string, path: string, body?: object): Promise<PanelAnswer> {
  const answer = await fetch(`${sandbox.baseUrl}/panel${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
}

const record = z.looseObject({ id: z.number() });
const list = z.object({ data: z.array(z.looseObject({ id: z.union([z.number(), z.string()]) })) });

const listed = async (path: string) => list.parse((await panel('GET', path)).body).data;

async function listen(): Promise<void> {
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: EVENTS });
}

/** Event and data of what was received, in the order in which it happened. */
async function told(count: number): Promise<[event: string, data: unknown][]> {
  await receiver.untilReceived(count);
  return receiver
    .notifications()
    .toSorted((a, b) => EVENTS.indexOf(a.event) - EVENTS.indexOf(b.event))
    .map(({ event, data }) => [event, data]);
}

describe('deals in the panel', () => {
  beforeEach(listen);

  test('a deal that is created is listed, readable over the API, and told as deal.created', async () => {
    const wanted = { name: 'By hand', pipeline_id: 12, responsible_user_id: 503 };
    const { status, body } = await panel('POST', '/deals', wanted);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...wanted, status_id: 1201 });
    expect(await listed('/deals')).toContainEqual(body);
    const { access_token: token } = await client.connect('deals');
    const own = await client.api('GET', `/v1/deals/${record.parse(body).id}`, token);
    expect(await own.json()).toEqual(body);
    expect(await told(1)).toEqual([['deal.created', body]]);
  });

  test.each([
    ['another name', { name: 'Renamed' }, ['deal.updated']],
    ['another user', { responsible_user_id: 504 }, ['deal.updated']],
    ['another status', { status_id: 142 }, ['deal.status_changed']],
    ['another pipeline', { pipeline_id: 12 }, ['deal.status_changed']],
    ['both', { name: 'Renamed', status_id: 1102 }, ['deal.updated', 'deal.status_changed']],
  ])('a change of a deal is told by what changed: %s', async (_, changes, events) => {
    const made = record.parse(
      (await panel('POST', '/deals', { name: 'A', pipeline_id: 11, responsible_user_id: 501 })).body,
    );
    const { status, body } = await panel('PATCH', `/deals/${made.id}`, changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.id, ...changes });
    expect(body).not.toMatchObject({ updated_at: made.updated_at });
    expect(await told(1 + events.length)).toEqual([
      ['deal.created', made],
      ...events.map((event) => [event, body]),
    ]);
  });

  test('a change that changes nothing is not told', async () => {
    const { body: made } = await panel('POST', '/deals', { name: 'A' });
    const { id } = record.parse(made);
    expect((await panel('PATCH', `/deals/${id}`, { name: 'A' })).body).toEqual(made);
    await panel('DELETE', `/deals/${id}`);
    expect((await told(2)).map(([event]) => event)).toEqual(['deal.created', 'deal.deleted']);
  });

  test('a deal that is deleted is gone, and told as deal.deleted with what it was', async () => {
    const { body: made } = await panel('POST', '/deals', { name: 'A' });
    const { id } = record.parse(made);
    expect((await panel('DELETE', `/deals/${id}`)).status).toBe(204);
    expect(await listed('/deals')).not.toContainEqual(made);
    expect((await panel('DELETE', `/deals/${id}`)).status).toBe(404);
    expect((await told(2))[1]).toEqual(['deal.deleted', made]);
  });

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['an unknown pipeline', { name: 'A', pipeline_id: 1 }, 'pipeline_id'],
    ['a status of another pipeline', { name: 'A', pipeline_id: 11, status_id: 1201 }, 'status_id'],
    ['an unknown user', { name: 'A', responsible_user_id: 1 }, 'responsible_user_id'],
    ['a field of no meaning', { name: 'A', colour: 'red' }, 'body'],
  ])('a deal with %s is refused and not told', async (_, deal, field) => {
    const before = await listed('/deals');
    const answer = await panel('POST', '/deals', deal);
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request', errors: [{ field }] } });
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
    expect(await told(2)).toEqual([
      ['contact.created', created],
      ['contact.updated', changed],
    ]);
    expect((await panel('PATCH', '/contacts/1', { name: 'A' })).status).toBe(404);
  });

  test('a task is created on a deal there is, and completed once', async () => {
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
    expect(await told(2)).toEqual([
      ['task.created', created],
      ['task.completed', completed.body],
    ]);
  });

  test('a scenario is executed and an agent triggered, each on a deal there is', async () => {
    const deals = (await listed('/deals')).map(({ id }) => id);
    const scenario = (await listed('/scenarios'))[1];
    const agent = (await listed('/agents'))[1];
    const executed = (await panel('POST', `/scenarios/${scenario?.id}/execute`)).body;
    const triggered = (await panel('POST', `/agents/${agent?.id}/trigger`)).body;
    expect(executed).toMatchObject({ scenario_id: scenario?.id, name: scenario?.name });
    expect(triggered).toMatchObject({ agent_id: agent?.id, name: agent?.name });
    const runs = await told(2);
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

describe('events by hand', () => {
  beforeEach(listen);

  test.each(EVENTS)('%s is sent with exactly the data that was given', async (type) => {
    const data = { id: 7, anything: ['at', { all: null }] };
    expect((await panel('POST', '/events', { type, data })).status).toBe(202);
    expect(await told(1)).toEqual([[type, data]]);
  });

  test('without data they are sent with a believable record', async () => {
    for (const type of EVENTS) await panel('POST', '/events', { type });
    for (const [, data] of await told(10)) expect(data).toMatchObject({ id: expect.any(Number) });
  });
});

describe('refresh tokens in the panel', () => {
  test('are listed by their endings only, and the used ones not at all', async () => {
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

  test('are revoked one by one, with the access tokens of the same consent', async () => {
    const [lost, kept] = [await client.connect('webhooks'), await client.connect('webhooks')];
    const [first] = await listed('/refresh-tokens');
    expect((await panel('DELETE', `/refresh-tokens/${first?.id}`)).status).toBe(204);
    expect((await client.refresh(lost.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.api('GET', '/v1/webhooks', lost.access_token)).status).toBe(401);
    expect((await client.refresh(kept.refresh_token)).answer.status).toBe(200);
    expect((await panel('DELETE', `/refresh-tokens/${first?.id}`)).status).toBe(404);
  });
});

describe('redirect URIs in the panel', () => {
  test('can be changed, and only the new ones are redirected to', async () => {
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
    ['six of them', { redirect_uris: Array.from({ length: 6 }, (_, at) => `https://a.example/${at}`) }],
    ['none', { redirect_uris: [] }],
    ['http beyond loopback', { redirect_uris: ['http://a.example/'] }],
    ['nothing to change', {}],
  ])('are not changed to %s', async (_, changes) => {
    const path = `/applications/${client.credentials.client_id}`;
    expect(await panel('PATCH', path, changes)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    });
    expect((await client.authorize()).searchParams.has('code')).toBe(true);
  });
});
