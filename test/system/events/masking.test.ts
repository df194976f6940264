import { randomBytes } from 'node:crypto';
import { io } from 'socket.io-client';
import { DescribedApi, type ApiDocument } from '../../support/api/described-api';
import { runInProcess } from '../../support/daemon/run-in-process';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { askWith, makeToken } from '../access/token-fixture';

/** In every value that is masked. */
const CANARY = `canary${randomBytes(6).toString('hex')}`;
const MASK = 'data.email,data.people.phone,contact.*:data.name';
const ENTITY = [
  '/entities/contact:42',
  '/entities/contact:42/changes?from=0',
  '/entities?field=data.email&field=data',
  '/entities/changes?from=0',
  ...['ndjson', 'json', 'csv'].map((format) => `/entities/export?format=${format}`),
];

let switchboard: Switchboard;
let echo: RecordingTarget;
let body: Buffer;
let eventId: string;
let unreadableId: string;
/** A target with a test of its expression. */
let shaped: string;
const tokens: Record<'read' | 'reveal' | 'receive', string> = { read: '', reveal: '', receive: '' };

const ask = (scope: keyof typeof tokens, path: string, request: { method?: string; json?: unknown } = {}) =>
  askWith(switchboard, tokens[scope], `/api/v1${path}`, request);
const post = (scope: keyof typeof tokens, path: string, json: unknown) =>
  ask(scope, path, { method: 'POST', json });

beforeAll(async () => {
  switchboard = await Switchboard.start({ environment: { SWITCHBOARD_MASK: MASK } });
  echo = await RecordingTarget.start((response, hit) => response.writeHead(500).end(hit.body));
  tokens.read = (await makeToken(switchboard, ['read'])).secret;
  tokens.reveal = (await makeToken(switchboard, ['read', 'reveal'])).secret;
  tokens.receive = (await makeToken(switchboard, ['receive'])).secret;
  const policy = { retry: { delays_s: [] }, ordering: 'none' };
  const echoes = await switchboard.addTarget('echoes', echo.url, ['contact.*'], { policy });
  await switchboard.addTarget('filtered', echo.url, ['contact.*'], {
    filter: { 'data.email': { $startsWith: `not ${CANARY}` } },
  });
  const people = [{ phone: CANARY }];
  const tests = [{ name: 'mail', input: { data: { email: CANARY } }, expected: CANARY }];
  const transform = { expression: 'data.email', tests };
  ({ id: shaped } = await switchboard.addTarget('shaped', echo.url, ['never'], { transform }));
  const notification = switchboard.sign('contact.created', {
    id: 42,
    name: CANARY,
    email: `${CANARY}@x`,
    people,
  });
  ({ body } = notification);
  eventId = ((await switchboard.notify(notification)).json as { id: string }).id;
  await switchboard.notify(notification);
  const unreadable = Buffer.from(`{"event":"contact.created", ${CANARY}`);
  const signature = switchboard.upstream.sign(switchboard.webhook, unreadable);
  unreadableId = ((await switchboard.notify({ body: unreadable, signature })).json as { id: string }).id;
  await switchboard.notify({ body: unreadable, signature: '0'.repeat(64) });
  await until('the rejection is quarantined', async () => (await idsOf('/rejections')).length > 0);
  await switchboard.deliveryOnce(eventId, echoes.id, ({ state }) => state === 'dead');
  const filter = { q: CANARY, payload: { 'data.email': { $contains: CANARY } } };
  await switchboard.ask('/replays', { method: 'POST', json: { filter, target_ids: [echoes.id] } });
});

afterAll(async () => {
  await switchboard.end();
  await echo.close();
});

/** Every GET of the API document, with an id of each list and with parameters that show payloads. */
async function paths(): Promise<string[]> {
  const document = (await switchboard.ask('/openapi.json')).json as ApiDocument;
  const gets = new DescribedApi(document).operations.filter(({ method }) => method === 'GET');
  const known: string[] = [];
  for (const { path } of gets) {
    const short = path.replace(/^\/api\/v1/, '');
    const [list, parameter, rest = ''] = short.split(/(\/\{\w+\})/);
    if (parameter === undefined) known.push(short);
    else known.push(...(await idsOf(list!)).map((id) => `${list}/${encodeURIComponent(id)}${rest}`));
  }
  return [
    ...known,
    ...['', '&include=body'].map((more) => `/events?after=oldest&field=data.email&field=data${more}`),
    '/events?field=data.people.0.phone&field=data.people',
    ...['ndjson', 'json', 'csv'].map((format) => `/events/export?format=${format}`),
    '/types/export?format=json_schema',
    ...ENTITY,
    `/events/${eventId}/body?masked=true`,
    `/events/${unreadableId}/body?masked=true`,
  ];
}

async function idsOf(list: string): Promise<string[]> {
  const path = list === '/stats/targets' ? '/targets' : list;
  const { json } = await switchboard.ask(path);
  const { data = [] } = json as { data?: Record<'id' | 'type' | 'entity' | 'name', string | undefined>[] };
  return data.flatMap(({ id, type, entity, name }) => id ?? type ?? entity ?? name ?? []).slice(0, 5);
}

/** What a text has of masked values, in base64 too. */
const leaks = (text: string) =>
  [...text.matchAll(/[A-Za-z0-9+/]{40,}=*/g)]
    .map(([base64]) => Buffer.from(base64, 'base64').toString('latin1'))
    .concat(text)
    .some((one) => one.includes(CANARY));

it('no response to a token with read has a masked value, and with reveal they are all there', async () => {
  const found = { read: [] as string[], reveal: [] as string[] };
  const statuses = new Map<string, number>();
  for (const path of await paths()) {
    for (const scope of ['read', 'reveal'] as const) {
      const { text, status } = await ask(scope, path);
      if (scope === 'read') statuses.set(path, status);
      if (leaks(text)) found[scope].push(path);
    }
  }
  expect(found.read).toEqual([]);
  const shown = [
    '/events',
    '/events/fields',
    '/events/export',
    `/events/${eventId}`,
    `/events/${eventId}/body`,
    `/events/${unreadableId}/body`,
    '/deliveries',
    '/dead-letters',
    '/dead-letters/causes',
    '/duplicates',
    '/replays',
    '/targets',
    `/events/${eventId}/changes`,
    ...ENTITY,
    '/events?after=oldest&field=data.email&field=data&include=body',
  ];
  expect(found.reveal).toEqual(expect.arrayContaining(shown));
  expect(found.reveal.some((path) => path.startsWith('/rejections/'))).toBe(true);
  for (const path of shown.filter((one) => !one.endsWith('/body')))
    expect([path, statuses.get(path)]).toEqual([path, 200]);
  expect(statuses.size).toBeGreaterThan(50);
});

it('shows the payload without the values, and the exact bytes with reveal', async () => {
  const path = `/events/${eventId}/body`;
  expect(await ask('read', path)).toMatchObject({ status: 403, json: { code: 'payload_masked' } });
  const payload = JSON.parse(String(body)) as { data: object };
  expect((await ask('read', `${path}?masked=true`)).json).toEqual({
    ...payload,
    data: { ...payload.data, name: '***', email: '***', people: [{ phone: '***' }] },
  });
  for (const query of ['', '?masked=true'])
    expect((await ask('reveal', path + query)).text).toBe(String(body));
  expect(await ask('read', `/events/${unreadableId}/body?masked=true`)).toMatchObject({ status: 403 });
  const { json } = await ask('read', `/events/${eventId}?`);
  expect(json).toMatchObject({ name: '***', entity: 'contact:42', type: 'contact.created' });
  expect((await ask('read', '/session')).json).toMatchObject({ masked: MASK.split(',') });
  expect((await ask('reveal', '/session')).json).toMatchObject({ masked: [] });
});

it('the command line writes the payload without the values if that is asked for', async () => {
  const environment = { SWITCHBOARD_HUB: switchboard.origin, SWITCHBOARD_TOKEN: tokens.read };
  const write = (...flags: string[]) => runInProcess(['events', 'body', eventId, ...flags], environment);
  expect(await write()).toMatchObject({ code: 77, err: expect.stringContaining('--masked') });
  expect(await write('--masked')).toMatchObject({ code: 0, out: expect.stringContaining('"name":"***"') });
});

it('says why a filter left an event out, without the values', async () => {
  const { json } = await ask('read', `/events/${eventId}/explain`);
  expect(JSON.stringify(json)).toContain('data.email, whose value is masked, does not meet its condition');
});

const payloadQuery = (conditions: object) => `payload=${encodeURIComponent(JSON.stringify(conditions))}`;

it('a search cannot guess a masked value', async () => {
  const guesses = [
    `q=${CANARY}`,
    'q=nothing',
    payloadQuery({ 'data.email': 'x' }),
    payloadQuery({ $not: { 'data.people.1.phone': 1 } }),
  ];
  const ofEvents = ['', '/count', '/histogram', '/export'].map((path) => `/events${path}`);
  for (const list of [...ofEvents, '/entities', '/entities/count', '/entities/export'])
    for (const guess of guesses)
      expect([list, guess, await ask('read', `${list}?${guess}`)]).toEqual([
        list,
        guess,
        expect.objectContaining({ status: 403, json: expect.objectContaining({ code: 'payload_masked' }) }),
      ]);
  const filter = { 'data.email': `${CANARY}@x` };
  const changes = await ask('read', `/entities/changes?from=0&${payloadQuery(filter)}`);
  expect(changes).toMatchObject({ status: 403, json: { code: 'payload_masked' } });
  for (const [path, json] of [
    ['/targets/preview', { filter }],
    ['/targets/preview/transform', { expression: 'data.email' }],
    [`/targets/${shaped}/transform/test`, {}],
    ['/replays/preview', { filter: { payload: filter } }],
    ['/replays/preview', { filter: { q: CANARY } }],
  ] as const) {
    expect(await post('read', path, json)).toMatchObject({ status: 403, json: { code: 'payload_masked' } });
    expect((await post('reveal', path, json)).status).toBe(200);
  }
  expect((await ask('read', `/events/count?${payloadQuery({ 'data.id': 42 })}`)).json).toMatchObject({
    count: 1,
  });
  expect((await ask('reveal', `/events/count?q=${CANARY}`)).json).toMatchObject({ count: 2 });
});

it('a token with receive gets neither bodies nor a listener', async () => {
  const refused = { status: 403, json: { code: 'payload_masked' } };
  expect(
    await post('receive', '/targets', { kind: 'listener', name: 'laptop', events: ['*'] }),
  ).toMatchObject(refused);
  expect(await post('receive', '/consumers', { name: 'own', q: CANARY })).toMatchObject(refused);
  expect((await post('receive', '/consumers', { name: 'own', start: 'oldest' })).status).toBe(201);
  expect(await post('receive', '/consumers/own/read', { include: 'body' })).toMatchObject(refused);
  const read = await post('receive', '/consumers/own/read', {});
  expect(read).toMatchObject({
    status: 200,
    json: { data: expect.arrayContaining([expect.objectContaining({ name: '***' })]) },
  });
  expect(read.text).not.toContain(CANARY);
});

it('the live socket shows each client what it may see', async () => {
  const heard = { read: '', reveal: '' };
  const sockets = (['read', 'reveal'] as const).map((scope) => {
    const socket = io(`${switchboard.origin}/live`, {
      transports: ['websocket'],
      auth: { token: tokens[scope], last_seq: 0 },
      forceNew: true,
    });
    socket.onAny((...message: unknown[]) => (heard[scope] += JSON.stringify(message)));
    return socket;
  });
  await until('the events that were missed', () =>
    Object.values(heard).every((text) => text.includes(eventId)),
  );
  const name = `${CANARY} later`;
  const later = await switchboard.emit('contact.updated', { id: 42, name, email: CANARY });
  await until('its delivery', () =>
    Object.values(heard).every((text) => text.includes(later) && text.includes('"entity_name"')),
  );
  sockets.forEach((socket) => socket.disconnect());
  expect(heard.read).not.toContain(CANARY);
  expect(heard.reveal).toContain(`"name":"${name}"`);
  expect(heard.reveal).toContain(`"entity_name":"${name}"`);
});

it('targets receive the exact bytes', () => {
  expect(echo.of(eventId)[0]!.body.equals(body)).toBe(true);
});
