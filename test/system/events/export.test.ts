import {
  eventCount,
  eventHistogram,
  eventSummary,
  exportedEvent,
  listedEvent,
} from '../../../src/contract/event';
import { payloadFields } from '../../../src/contract/payload-field';
import { pageOf } from '../../../src/contract/page';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const BULK = 450;

let switchboard: Switchboard;
let receiver: RecordingTarget;
let targetId: string;
let times: string[];

beforeAll(async () => {
  [switchboard, receiver] = await Promise.all([Switchboard.start(), RecordingTarget.start()]);
  ({ id: targetId } = await switchboard.addTarget('place', receiver.url, ['deal.created']));
  for (let i = 0; i < BULK; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) =>
        switchboard.emit((i + k) % 90 === 0 ? 'deal.created' : 'task.created', {
          id: (i + k) % 9,
          name: `Number ${i + k}`,
        }),
      ),
    );
  await until('all are delivered', async () => (await listed('status=succeeded')).length === 5);
  // System events about the connection and the subscription may be late, and would change the list between two reads.
  await until('both are stored', async () => (await listed('type=relay.*')).length === 2);
  times = (await exported('')).map(({ received_at: at }) => at).sort();
});

afterAll(async () => {
  await switchboard.end();
  await receiver.close();
});

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => exportedEvent.parse(JSON.parse(line)));

async function exported(query: string) {
  const response = await switchboard.ask(`/events/export?${query}`);
  expect(response.status).toBe(200);
  expect(response.text === '' || response.text.endsWith('\n')).toBe(true);
  const lines = linesOf(response.text);
  expect(response.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'switchboard-export-total': String(lines.length),
    'switchboard-export-estimated': 'false',
  });
  return lines;
}

async function listed(query: string): Promise<number[]> {
  const seqs: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: { seq: number }[]; next_cursor: string | null } = await switchboard.read(
      pageOf(eventSummary),
      `/events?${query}&limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    seqs.push(...page.data.map(({ seq }) => seq));
    cursor = page.next_cursor;
  }
  return seqs.toReversed();
}

const histogram = (query: string) => switchboard.read(eventHistogram, `/events/histogram?${query}`);

const payload = (filter: object) => `payload=${encodeURIComponent(JSON.stringify(filter))}`;

describe('the export', () => {
  it.each([
    ['everything', () => ''],
    ['a type', () => 'type=deal.created'],
    ['types and patterns', () => 'type=deal.*&type=task.created'],
    ['an entity', () => 'entity=task:3'],
    ['a status', () => 'status=succeeded'],
    ['a target', () => `target=${targetId}`],
    ['a time', () => `since=${times[100]!}&until=${times[300]!}`],
    ['a text', () => 'q=number%201'],
    ['a short text', () => 'q=7'],
    ['a text and a type', () => 'q=number%2090&type=deal.created'],
    ['something that no event contains', () => 'q=nowhere%20at%20all'],
    ['what Co-Pilot sent', () => 'origin=copilot'],
    ['what Switchboard created', () => 'origin=switchboard'],
    ['a condition on the payload', () => payload({ 'data.id': { $gte: 7 } })],
    ['a condition and a type', () => `type=deal.created&${payload({ 'data.name': { $contains: '9' } })}`],
    ['a condition and a text', () => `q=number%201&${payload({ 'data.id': { $in: [1, 2] } })}`],
    ['a condition that no event meets', () => payload({ 'data.name': 'nowhere' })],
  ])('contains what the list contains, oldest first, and what is counted: %s', async (_, query) => {
    const seqs = (await exported(query())).map(({ seq }) => seq);
    expect(seqs).toEqual(await listed(query()));
    const exactly = { count: seqs.length, estimated: false };
    expect(await switchboard.read(eventCount, `/events/count?${query()}`)).toEqual(exactly);
    const { buckets, bucket_s: _width, ...total } = await histogram(query());
    expect(total).toEqual(exactly);
    expect(buckets.flatMap(({ counts }) => Object.values(counts)).reduce((sum, n) => sum + n, 0)).toBe(
      seqs.length,
    );
    expect(seqs.length > 0).toBe(!query().includes('nowhere'));
  });

  it('contains each event as in the list, with its JSON verbatim', async () => {
    const body = Buffer.from(
      `{\r\n "event": "odd.one",\n "timestamp": "2026-03-02T09:30:00Z", "webhook_id": "wh_1",\n "data": {"id": 7, "sum": 12345678901234567890.10, "said": "a\\nb \u2028 é"}\r\n}`,
    );
    await switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });
    const { text } = await switchboard.ask('/events/export?type=odd.one');
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain(`"body":${body.toString().replace(/[\r\n]/g, ' ')},"body_base64":null}`);
    const { body: parsed, body_base64: _, ...summary } = linesOf(text)[0]!;
    expect(parsed).toEqual(JSON.parse(body.toString()));
    expect([summary]).toEqual((await switchboard.read(pageOf(eventSummary), '/events?type=odd.one')).data);
  });

  it('meets conditions on the payload only with events that can be parsed', async () => {
    expect(await listed(payload({ 'data.id': 7 }))).toEqual(
      (await exported('entity=task:7')).concat(await exported('type=odd.one')).map(({ seq }) => seq),
    );
    expect(await listed(`origin=copilot&${payload({ $not: { event: 'task.created' } })}`)).toHaveLength(
      5 + 1,
    );
  });

  it('contains the bytes of unreadable events', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x0a, 0x22, 0x7d]);
    await switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });
    const [line] = await exported('type=unreadable');
    expect(line).toMatchObject({ body: null, body_base64: body.toString('base64') });
  });

  it('and all that is read have no byte order mark, and the digits that were sent', async () => {
    const data = '{"id":9223372036854775807,"custom.field":"gold"}';
    const sent = `{"event":"marked.one","timestamp":"2026-03-02T09:30:00","webhook_id":"wh_1","data":${data}}`;
    const body = Buffer.from(`\uFEFF${sent}`);
    await switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });
    const bodyOf = async (format: string) =>
      (await switchboard.ask(`/events/export?type=marked.one&format=${format}`)).text;
    expect(await bodyOf('ndjson')).toContain(`"body":${sent},`);
    expect(await bodyOf('json')).toContain(`"body":${sent},`);
    expect(await bodyOf('csv')).toContain(`,"${sent.replaceAll('"', '""')}",`);
    const conditions = [
      '{"data.id":9223372036854775807}',
      '{"data.id":{"$gt":9223372036854775806}}',
      '{"data.id":"9223372036854775807"}',
      '{"data.custom\\\\.field":"gold"}',
    ].map((one) => `payload=${encodeURIComponent(one)}`);
    for (const query of ['entity=marked:9223372036854775807', ...conditions]) {
      const page = await switchboard.read(
        pageOf(listedEvent),
        `/events?${query}&field=data.id&field=data&field=${encodeURIComponent('data.custom\\.field')}`,
      );
      expect(page.data).toMatchObject([
        {
          type: 'marked.one',
          occurred_at: '2026-03-02T09:30:00.000Z',
          fields: { 'data.id': '9223372036854775807', data, 'data.custom\\.field': 'gold' },
        },
      ]);
    }
    const { fields } = await switchboard.read(payloadFields, '/events/fields?type=marked.one');
    expect(fields).toContainEqual({
      path: 'data.id',
      kinds: ['number'],
      events: 1,
      samples: ['9223372036854775807'],
    });
  });

  it('is a list in JSON', async () => {
    const response = await switchboard.ask('/events/export?type=deal.created&format=json');
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="events.json"',
    });
    expect(response.json).toEqual(await exported('type=deal.created'));
    expect((await switchboard.ask('/events/export?type=no.such&format=json')).json).toEqual([]);
  });

  it('is a table in CSV, in which no text is a formula or leaves its cell', async () => {
    const names = [
      '=HYPERLINK("http://x")',
      ' +1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      'a "b", c\nd',
      '\uFF1D1',
      'x-1',
    ];
    for (const name of names) await switchboard.emit('cell.set', { id: 1, name });
    const long = await switchboard.emit('cell.long', { text: 'x'.repeat(33_000) });
    const response = await switchboard.ask('/events/export?type=cell.set&type=cell.long&format=csv');
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'switchboard-export-total': String(names.length + 1),
    });
    const [head, ...rows] = readCsv(response.body.toString('utf8'));
    const columns = Object.keys(eventSummary.shape).filter((name) => name !== 'id' && name !== 'targets');
    expect(head).toEqual(['\uFEFFid', ...columns, 'body', 'body_base64']);
    const cells = rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]!])));
    expect(cells.map(({ name }) => name)).toEqual([
      ...names.map((name) => (/^a|^x/.test(name) ? name : `'${name}`)),
      '',
    ]);
    expect(JSON.parse(cells[0]!['body']!)).toMatchObject({ data: { name: names[0] } });
    expect(cells.at(-1)).toMatchObject({ body: `too long for a cell: GET /api/v1/events/${long}/body` });
  });

  it('returns only the count for a HEAD request', async () => {
    const response = await switchboard.ask('/events/export?type=deal.created', { method: 'HEAD' });
    expect(response).toMatchObject({ status: 200, headers: { 'switchboard-export-total': '5' } });
    expect(response.body).toHaveLength(0);
  });

  it('reports what is wrong with a filter, and rejects paging', async () => {
    expect(await switchboard.ask('/events/export?status=lost')).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    });
    for (const path of ['/events?', '/events/count?', '/events/histogram?', '/events/export?']) {
      expect(await switchboard.ask(`${path}payload={`)).toMatchObject({
        status: 400,
        json: {
          code: 'invalid_request',
          errors: [{ path: 'payload', message: expect.stringMatching('JSON') }],
        },
      });
      expect(await switchboard.ask(`${path}${payload({ 'data.id': { $near: 1 } })}`)).toMatchObject({
        status: 422,
        json: { code: 'filter_invalid', errors: [{ path: 'filter.data.id.$near' }] },
      });
    }
    expect(await switchboard.ask('/events/export?type=deal.created&limit=1')).toMatchObject({
      status: 400,
      json: { errors: [{ path: 'limit' }] },
    });
  });
});

/** The cells of a CSV (RFC 4180) by row. */
const readCsv = (text: string): string[][] =>
  text
    .split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .slice(0, -1)
    .map((row) =>
      row
        .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)),
    );
