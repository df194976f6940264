import { z } from 'zod';
import { delivery } from '../../../src/contract/delivery';
import { eventSummary, type EventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { replay } from '../../../src/contract/replay';
import { target, testOutcome } from '../../../src/contract/target';
import { connection } from '../../../src/contract/connection';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { signedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** Indexing runs in steps of a thousand events: this is one full step and a partial one. */
const BULK = 1_150;

let switchboard: Switchboard;
let receiver: RecordingTarget;
let first: RecordingTarget;
let firstId: string;
let second: RecordingTarget;
let secondId: string;
/** Everything stored before the tests, oldest first. */
const ids: string[] = [];

const typeOf = (i: number) =>
  i % 100 === 0 ? 'deal.created' : i % 3 === 0 ? 'task.created' : 'contact.updated';
const entityOf = (i: number) => `${typeOf(i).split('.')[0]!}:${i % 50}`;

beforeAll(async () => {
  [receiver, first, second] = await Promise.all([
    RecordingTarget.start(),
    RecordingTarget.start(),
    RecordingTarget.start(),
  ]);
  switchboard = await Switchboard.start();
  ({ id: firstId } = await switchboard.addTarget('first', first.url, ['deal.created', 'replayed.*']));
  ({ id: secondId } = await switchboard.addTarget('second', second.url, ['replayed.*']));
  // A few at a time, so that the order of the responses is the order of their seq.
  for (let i = 0; i < BULK; i += 50) {
    const group = Array.from({ length: Math.min(50, BULK - i) }, (_, k) =>
      switchboard.emit(typeOf(i + k), { id: (i + k) % 50, name: `Number ${i + k} \u00c9t\u00e9` }),
    );
    ids.push(...(await Promise.all(group)));
  }
});

afterAll(async () => {
  await switchboard.end();
  await Promise.all([receiver, first, second].map((one) => one.close()));
});

const list = (query: string) => switchboard.read(pageOf(eventSummary), `/events?${query}`);

async function walk(
  query: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<EventSummary[]> {
  const walked: EventSummary[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: EventSummary[]; next_cursor: string | null } = await list(
      `${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    walked.push(...page.data);
    cursor = page.next_cursor;
    await between();
  }
  return walked;
}

/** The matching events of those stored before the tests, newest first. */
const stored = (isExpected: (i: number) => boolean) => ids.filter((_, i) => isExpected(i)).toReversed();
const idsOf = (events: EventSummary[]) => events.map(({ id }) => id);
const ofBulk = (events: EventSummary[]) => idsOf(events).filter((id) => ids.includes(id));

describe('the list of events', () => {
  it('is paged by its cursor, each event once, newest first, while others arrive', async () => {
    const walked = await walk('limit=200', () => switchboard.emit('coming.in'));
    expect([...ofBulk(walked)].sort()).toEqual([...ids].sort());
    expect(walked.filter(({ type }) => type === 'coming.in')).toEqual([]);
    const seqs = walked.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  it.each([
    ['an exact type', 'type=deal.created', (i: number) => typeOf(i) === 'deal.created'],
    ['a pattern', 'type=deal.*', (i: number) => typeOf(i) === 'deal.created'],
    ['another pattern', 'type=*.created', (i: number) => typeOf(i) !== 'contact.updated'],
    ['types together', 'type=deal.created&type=task.*', (i: number) => typeOf(i) !== 'contact.updated'],
    ['an entity', 'entity=task:3', (i: number) => entityOf(i) === 'task:3'],
    ['an entity and a type', 'entity=deal:0&type=deal.created', (i: number) => entityOf(i) === 'deal:0'],
    ['a target', () => `target=${firstId}`, (i: number) => typeOf(i) === 'deal.created'],
    ['a text', 'q=number%2077%20', (i: number) => i === 77],
    [
      'a text, ignoring the case of Latin letters only',
      `q=${encodeURIComponent('NUMBER 1149 \u00c9t\u00e9')}`,
      (i: number) => i === 1149,
    ],
    ['a text and a type', 'q=number%2010&type=deal.created', (i: number) => i === 100 || i === 1_000],
    ['a text that no event contains', 'q=100%25_', () => false],
    ['an entity without events', 'entity=deal:4711', () => false],
  ])('is filtered by %s, whether indexed or not yet', async (_, query, isExpected) => {
    const text = typeof query === 'string' ? query : query();
    expect([...ofBulk(await walk(`limit=7&${text}`))].sort()).toEqual([...stored(isExpected)].sort());
    expect((await list(`limit=200&${text}`)).data.length).toBe(Math.min(200, stored(isExpected).length));
  });

  it('compares types case-sensitively, as targets do', async () => {
    expect((await list('type=DEAL.CREATED')).data).toEqual([]);
  });

  it('is filtered by time, including the start and excluding the end', async () => {
    const times = (await walk('limit=200')).map(({ received_at }) => received_at).sort();
    const [since, until_] = [times[300]!, times[900]!];
    const walked = await walk(`limit=200&since=${since}&until=${until_}`);
    expect(walked.length).toBe(times.filter((time) => time >= since && time < until_).length);
    expect(walked.length).toBeGreaterThan(0);
    const offset = encodeURIComponent(since.replace('Z', '+00:00'));
    expect(idsOf(await walk(`limit=200&since=${offset}&until=${until_}`))).toEqual(idsOf(walked));
  });

  it('is filtered by status', async () => {
    await until('all are delivered', async () => (await list('status=succeeded')).data.length >= 12);
    expect(ofBulk(await walk('status=succeeded&limit=5')).toSorted()).toEqual(
      stored((i) => typeOf(i) === 'deal.created').toSorted(),
    );
    expect(ofBulk(await walk('status=unmatched&limit=200'))).toHaveLength(BULK - 12);
    expect((await list('status=dead')).data).toEqual([]);
    const waiting = await switchboard.addTarget('waiting', receiver.url, ['waiting.*']);
    await switchboard.ask(`/targets/${waiting.id}/pause`, { method: 'POST' });
    const id = await switchboard.emit('waiting.event');
    expect(idsOf((await list('status=pending')).data)).toEqual([id]);
    await switchboard.removeTarget(waiting);
    expect(idsOf((await list('status=cancelled')).data)).toEqual([id]);
  });

  it('has fifty entries by default, and two hundred at most', async () => {
    expect((await list('')).data).toHaveLength(50);
    expect((await list('limit=1')).data).toHaveLength(1);
    expect((await list('limit=200')).data).toHaveLength(200);
  });

  it.each([
    ['/events?limit=0', 'limit'],
    ['/events?limit=201', 'limit'],
    ['/events?limit=x', 'limit'],
    ['/events?status=lost', 'status'],
    ['/events?target=evt_1', 'target'],
    ['/events?since=yesterday', 'since'],
    ['/events?q=', 'q'],
    ['/deliveries?status=lost', 'status'],
    ['/deliveries?event=1', 'event'],
    ['/deliveries?limit=0', 'limit'],
    ['/targets?limit=0', 'limit'],
    ['/rejections?limit=201', 'limit'],
  ])('explains what is wrong with %s', async (path, where) => {
    const response = await switchboard.ask(path);
    expect(response).toMatchObject({ status: 400, json: { code: 'invalid_request', status: 400 } });
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(problem.parse(response.json).errors!.map((error) => error.path)).toEqual([where]);
  });

  it('rejects an unknown cursor', async () => {
    for (const cursor of ['nonsense', ids[0]!.replace(/.{8}$/, '00000000')]) {
      expect(await switchboard.ask(`/events?cursor=${cursor}`)).toMatchObject({
        status: 400,
        json: { code: 'cursor_unknown' },
      });
    }
  });
});

describe('the list of deliveries', () => {
  it('is paged by its cursor, each delivery once, and filtered by target, event and status', async () => {
    const [event] = stored((i) => typeOf(i) === 'deal.created');
    for (let i = 0; i < 4; i += 1) {
      await switchboard.read(replay, `/events/${event!}/replay`, {
        method: 'POST',
        json: { target_ids: [firstId, secondId] },
      });
    }
    const walkDeliveries = async (query: string) => {
      const walked: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: { data: { id: string }[]; next_cursor: string | null } = await switchboard.read(
          pageOf(delivery),
          `/deliveries?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        walked.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      return walked;
    };
    const ofEvent = await walkDeliveries(`event=${event!}&limit=2`);
    expect(ofEvent).toHaveLength(9);
    expect(new Set(ofEvent).size).toBe(9);
    expect(ofEvent.sort()).toEqual((await switchboard.event(event!)).deliveries.map(({ id }) => id).sort());
    expect(await walkDeliveries(`event=${event!}&target=${secondId}&limit=3`)).toHaveLength(4);
    const all = await walkDeliveries('limit=5');
    expect(all).toHaveLength(12 + 8 + 1);
    expect(new Set(all).size).toBe(all.length);
    await until(
      'all are delivered',
      async () => (await walkDeliveries(`status=succeeded&event=${event!}&limit=200`)).length === 9,
    );
    expect(await walkDeliveries(`status=dead&limit=200`)).toEqual([]);
  });
});

const send = (id: string, json: object) =>
  switchboard.read(replay, `/events/${id}/replay`, { method: 'POST', json });

describe('a replay', () => {
  it('creates new deliveries to the given targets, and leaves existing ones unchanged', async () => {
    const id = await switchboard.emit('replayed.event');
    for (const targetId of [firstId, secondId]) {
      await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    }
    const before = await switchboard.event(id);
    const created = await send(id, { target_ids: [secondId, secondId] });
    expect(created).toMatchObject({ event_id: id, target_ids: [secondId] });
    expect(created.delivery_ids).toHaveLength(1);
    await until(
      'the replay is delivered',
      async () => (await switchboard.delivery(created.delivery_ids[0]!)).state === 'succeeded',
    );

    const [live, again] = second.of(id);
    expect(first.of(id)).toHaveLength(1);
    expect(again!.body).toEqual(live!.body);
    expect(again!.headers).toMatchObject({
      'webhook-id': id,
      'switchboard-trigger': 'replay',
      'switchboard-replay': created.id,
      'switchboard-delivery': created.delivery_ids[0],
      'switchboard-attempt': '1',
    });
    expect(live!.headers).not.toHaveProperty('switchboard-replay');
    const after = await switchboard.event(id);
    expect(after.deliveries.filter(({ trigger }) => trigger === 'live')).toEqual(before.deliveries);
    expect(await switchboard.delivery(created.delivery_ids[0]!)).toMatchObject({
      trigger: 'replay',
      replay_id: created.id,
    });
  });

  it('goes to all targets that accept the event now, if none is given', async () => {
    const id = await switchboard.emit('replayed.later');
    const late = await switchboard.addTarget('late', receiver.url, ['replayed.later']);
    const off = await switchboard.addTarget('off', receiver.url, ['replayed.later'], { enabled: false });
    const created = await send(id, {});
    expect(created.target_ids.toSorted()).toEqual([firstId, secondId, late.id].toSorted());
    await until('the late one arrives', () => receiver.of(id).length === 1);
    await switchboard.removeTarget(late);
    await switchboard.removeTarget(off);
  });

  it('needs no body to go to all targets', async () => {
    const id = await switchboard.emit('replayed.bare');
    const response = await switchboard.ask(`/events/${id}/replay`, { method: 'POST' });
    expect(response.status).toBe(202);
    expect(replay.parse(response.json).target_ids).toHaveLength(2);
  });

  it('sends an unreadable event unchanged', async () => {
    const { json } = await switchboard.notify(signedNotification('not-utf8'));
    const { id } = json as { id: string };
    await send(id, { target_ids: [firstId] });
    await until('the replay arrives', () => first.of(id).length === 1);
    expect(first.of(id)[0]!.body).toEqual(signedNotification('not-utf8').body);
  });

  it('is rejected for an unknown event, without a target, and for an unknown target', async () => {
    const unmatched = await switchboard.emit('nobody.wants');
    const cases = [
      [
        `/events/${ids[0]!.replace('evt_0', 'evt_7').replace(/.{8}$/, '00000000')}/replay`,
        {},
        404,
        'event_unknown',
      ],
      [`/events/${unmatched}/replay`, {}, 409, 'no_target'],
      [`/events/${unmatched}/replay`, { target_ids: [`tgt_${'0'.repeat(26)}`] }, 404, 'target_unknown'],
      [`/events/${unmatched}/replay`, { target_ids: [] }, 400, 'invalid_request'],
      [`/events/${unmatched}/replay`, { target_ids: ['x'] }, 400, 'invalid_request'],
      [`/events/${unmatched}/replay`, { targets: [] }, 400, 'invalid_request'],
    ] as const;
    for (const [path, json, status, code] of cases) {
      expect(await switchboard.ask(path, { method: 'POST', json })).toMatchObject({ status, json: { code } });
    }
  });
});

it('unknown resources are answered with 404 and their code', async () => {
  const missing = ids[0]!.slice(0, 14) + 'zzzzzzzz' + ids[0]!.slice(22);
  const cases = [
    [`/events/${missing}`, 'event_unknown'],
    [`/events/${missing}/body`, 'event_unknown'],
    ['/events/evt_nonsense', 'event_unknown'],
    ["/events/evt_'%20OR%201=1--", 'event_unknown'],
    [`/deliveries/dlv_${'0'.repeat(26)}`, 'delivery_unknown'],
    ['/deliveries/nonsense', 'delivery_unknown'],
    [`/targets/tgt_${'0'.repeat(26)}`, 'target_unknown'],
    ['/nowhere', 'not_found'],
  ] as const;
  for (const [path, code] of cases) {
    const response = await switchboard.ask(path);
    expect({ path, ...(response.json as object) }).toMatchObject({ path, status: 404, code });
    expect(problem.parse(response.json)).toEqual(response.json);
  }
  expect(await switchboard.ask('/deliveries/nonsense/retry', { method: 'POST' })).toMatchObject({
    status: 404,
  });
});

it('a body is always served as a download, whatever its content type', async () => {
  const { json } = await switchboard.notify(switchboard.sign('handed.out'), { contentType: 'text/html' });
  const { headers } = await switchboard.ask(`/events/${(json as { id: string }).id}/body`);
  expect(headers).toMatchObject({
    'content-type': 'text/html',
    'x-content-type-options': 'nosniff',
    'content-disposition': expect.stringMatching(/^attachment/),
  });
});

describe('the API document', () => {
  type Operation = {
    operationId: string;
    parameters?: { name: string; in: string; required?: boolean }[];
    requestBody?: { content: Record<string, { schema: object }> };
    responses: Record<string, { content?: Record<string, { schema: object }> }>;
  };
  interface Document {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    components?: { schemas?: Record<string, object> };
  }
  let document: Document;
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  beforeAll(async () => {
    document = (await switchboard.ask('/openapi.json')).json as Document;
  });

  it('names every route of the contract', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const named = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(named).toEqual(
      expect.arrayContaining([
        'GET /api/v1/events',
        'GET /api/v1/events/count',
        'GET /api/v1/events/histogram',
        'GET /api/v1/events/export',
        'GET /api/v1/events/{id}',
        'GET /api/v1/events/{id}/body',
        'POST /api/v1/events/{id}/replay',
        'GET /api/v1/targets',
        'POST /api/v1/targets',
        'GET /api/v1/targets/{id}',
        'PATCH /api/v1/targets/{id}',
        'DELETE /api/v1/targets/{id}',
        'POST /api/v1/targets/{id}/test',
        'POST /api/v1/targets/{id}/pause',
        'POST /api/v1/targets/{id}/resume',
        'GET /api/v1/deliveries',
        'GET /api/v1/deliveries/{id}',
        'POST /api/v1/deliveries/{id}/retry',
        'GET /api/v1/connection',
        'GET /api/v1/subscription',
        'GET /api/v1/stats',
        'GET /api/v1/rejections',
      ]),
    );
    const ofApi = named.filter((route) => route.includes('/api/v1/'));
    expect(ofApi.filter((route) => /openapi/.test(route))).toEqual([]);
  });

  it('is consistent: unique operation ids, all path parameters declared, all references resolved', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const declared = (operation.parameters ?? [])
        .filter((one) => one.in === 'path')
        .map(({ name }) => name);
      expect({ path, declared }).toEqual({ path, declared: inPath });
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
    }
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name] of references) expect(document.components?.schemas).toHaveProperty([name!]);
  });

  it('names the filters of the list of events', () => {
    const { parameters } = document.paths['/api/v1/events']!['get']!;
    const names = parameters!.map(({ name }) => name).sort();
    expect(names).toEqual([
      'cursor',
      'entity',
      'field',
      'limit',
      'origin',
      'payload',
      'q',
      'since',
      'status',
      'target',
      'type',
      'until',
    ]);
  });

  const schemaOf = (template: string, status: string) => {
    const { content } = document.paths[`/api/v1${template}`]!['get']!.responses[status]!;
    const schema = Object.values(content!)[0]!.schema;
    const whole = { ...schema, components: document.components, $defs: document.components?.schemas };
    const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
    return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
  };

  it('matches actual responses', async () => {
    const [event] = stored((i) => typeOf(i) === 'deal.created');
    const { deliveries } = await switchboard.event(event!);
    const paths: [template: string, path: string][] = [
      ['/events', '/events?limit=3'],
      ['/events/{id}', `/events/${event!}`],
      ['/targets', '/targets'],
      ['/targets/{id}', `/targets/${firstId}`],
      ['/deliveries', '/deliveries?limit=3'],
      ['/deliveries/{id}', `/deliveries/${deliveries[0]!.id}`],
      ['/connection', '/connection'],
      ['/subscription', '/subscription'],
      ['/stats', '/stats'],
      ['/rejections', '/rejections'],
    ];
    for (const [template, path] of paths) {
      const { json } = await switchboard.ask(path);
      expect({ template, ...schemaOf(template, '200').safeParse(json) }).toMatchObject({
        template,
        success: true,
      });
      expect(schemaOf(template, '200').safeParse({}).success).toBe(false);
    }
    const { json } = await switchboard.ask('/events/nonsense');
    expect(schemaOf('/events/{id}', 'default').safeParse(json).success).toBe(true);
  });

  it('and the schemas of the contract match further responses', async () => {
    await switchboard.read(connection, '/connection');
    await switchboard.read(pageOf(target), '/targets');
    expect(
      (await switchboard.read(testOutcome, `/targets/${firstId}/test`, { method: 'POST' })).delivered,
    ).toBe(true);
  });
});
