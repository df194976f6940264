import { delivery } from '../../../src/contract/delivery';
import { eventHistogram, eventSummary, type EventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { replay } from '../../../src/contract/replay';
import { RecordingTarget } from '../../support/fakes/recording-target';
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

const found = async (query: string) => (await list(`type=split.event&${query}`)).data;

// Last, since the tests before count all deliveries.
it('the list of events has the status at one target, if it is filtered by that', async () => {
  const refusing = await RecordingTarget.start(400);
  const policy = { retry: { delays_s: [] }, breaker: null };
  const bad = await switchboard.addTarget('bad', refusing.url, ['split.*', 'lost.*'], { policy });
  const good = await switchboard.addTarget('good', receiver.url, ['split.*']);
  const id = await switchboard.emit('split.event');
  await switchboard.deliveryOnce(id, bad.id, ({ state }) => state === 'dead');
  await switchboard.deliveryOnce(id, good.id, ({ state }) => state === 'succeeded');
  expect(await found('')).toMatchObject([{ id, status: 'dead', targets: { dead: 1, succeeded: 1 } }]);
  expect(await found(`target=${good.id}`)).toMatchObject([
    { status: 'succeeded', targets: { succeeded: 1 } },
  ]);
  const statuses = ['dead', 'succeeded', 'pending'];
  for (const [{ id: target }, status] of [
    [bad, 'dead'],
    [good, 'succeeded'],
  ] as const) {
    const lengths = statuses.map(async (one) => (await found(`target=${target}&status=${one}`)).length);
    expect(await Promise.all(lengths)).toEqual(statuses.map((one) => Number(one === status)));
    const histogram = await switchboard.read(
      eventHistogram,
      `/events/histogram?type=split.event&target=${target}`,
    );
    expect(histogram.buckets.flatMap(({ counts }) => Object.entries(counts))).toEqual([[status, 1]]);
  }
  expect(await found('status=succeeded')).toEqual([]);
  const lost = await switchboard.emit('lost.event');
  await switchboard.deliveryOnce(lost, bad.id, ({ state }) => state === 'dead');
  await switchboard.removeTarget(bad);
  // No retry is possible, so it needs no attention.
  expect((await list('status=dead')).data).toEqual([]);
  expect(await found('status=succeeded')).toMatchObject([{ id, targets: { succeeded: 1, cancelled: 1 } }]);
  expect((await list('type=lost.event&status=cancelled')).data).toMatchObject([{ id: lost }]);
  expect(idsOf((await list('status=cancelled')).data)).toContain(lost);
  expect(idsOf((await list(`status=cancelled&target=${bad.id}`)).data)).toEqual([lost, id]);
  await switchboard.removeTarget(good);
  await refusing.close();
});
