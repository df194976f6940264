import { changedEntities, entityCount, entityList } from '../../../src/contract/entity';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
/** The events in order: a deal is created, moved twice and deleted; another one has an unusual id and name. */
const seqs: number[] = [];

/** Exact, although JavaScript would round it. */
const PRICE = '9007199254740993';

beforeAll(async () => {
  switchboard = await Switchboard.start();
  const send = async (type: string, data: string) => {
    const text = `{"event":"${type}","timestamp":"2026-03-01T00:00:00Z","webhook_id":"${switchboard.webhook.webhook_id}",\n"data":${data}}`;
    const body = Buffer.from(text);
    const signature = switchboard.upstream.sign(switchboard.webhook, body);
    const { json } = await switchboard.notify({ body, signature });
    seqs.push((await switchboard.event((json as { id: string }).id)).seq);
  };
  await send('deal.created', '{"id":"9007199254740993","name":"Solar","status_id":1}');
  await send('deal.updated', '{"id":"9007199254740993","name":"Solar","status_id":2}');
  await send('deal.updated', '{"id":"9007199254740993","name":"Solar","status_id":3}');
  await send('deal.deleted', '{"id":"9007199254740993","name":"Solar","status_id":3}');
  await send(
    'contact.created',
    `{"id":"a/b %","name":"=cmd|'x'","price":${PRICE},\n"tags":["a"],"of":{"city":"Oslo, Norway"}}`,
  );
});

afterAll(() => switchboard.end());

const list = (query = '') => switchboard.read(entityList, `/entities?${query}`);
const changes = (query: string) => switchboard.read(changedEntities, `/entities/changes?${query}`);
const exported = async (format: string, query = '') => {
  const response = await switchboard.ask(`/entities/export?format=${format}${query}`);
  expect(response.status).toBe(200);
  return response;
};

describe('the list of entities', () => {
  it('has those that are present, and the deleted ones if they are asked for', async () => {
    const present = await list();
    expect(present.data.map(({ entity }) => entity)).toEqual(['contact:a/b %']);
    expect(present).toMatchObject({
      next_cursor: null,
      as_of: { seq: expect.any(Number) },
      horizon: { seq: 0 },
      coverage: { complete: false },
    });
    expect((await list('state=all')).data).toMatchObject([
      { entity: 'contact:a/b %', state: 'present', source: 'event', retained: true },
      { entity: 'deal:9007199254740993', state: 'deleted', event_type: 'deal.deleted' },
    ]);
    expect(await switchboard.read(entityCount, '/entities/count?state=all')).toEqual({
      count: 2,
      estimated: false,
    });
  });

  it('has the record of each step, with fields, as of its event', async () => {
    for (const [i, status] of [1, 2, 3].entries())
      expect((await list(`kind=deal&field=data.status_id&as_of_seq=${seqs[i]}`)).data).toMatchObject([
        { seq: seqs[i], record: { status_id: status }, fields: { 'data.status_id': status } },
      ]);
  });

  it('keeps its point in time on all pages', async () => {
    const first = await list('state=all&limit=1&sort=entity');
    const second = await list(`state=all&limit=1&sort=entity&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ entity }) => entity)).toEqual([
      'contact:a/b %',
      'deal:9007199254740993',
    ]);
    expect(second.as_of).toEqual(first.as_of);
  });

  it.each([
    ['cursor=nonsense', 400, 'cursor_unknown'],
    [`cursor=${Buffer.from('[1,2,"x"]').toString('base64url')}`, 400, 'cursor_unknown'],
    ['as_of=2026-03-01T00:00:00Z&as_of_seq=1', 400, 'invalid_request'],
    ['field=data..x', 400, 'invalid_request'],
    [`payload=${encodeURIComponent('{"data.id":{"$became":1}}')}`, 422, 'filter_invalid'],
  ])('rejects %s', async (query, status, code) => {
    expect(await switchboard.ask(`/entities?${query}`)).toMatchObject({ status, json: { code } });
  });
});

describe('an export of entities', () => {
  it('has the exact digits of the records, on one line each', async () => {
    const { text } = await exported('ndjson', '&state=all');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`"price":${PRICE}`);
    expect(lines.map((line) => (JSON.parse(line) as { entity: string }).entity)).toEqual([
      'contact:a/b %',
      'deal:9007199254740993',
    ]);
    expect((await exported('json')).json).toMatchObject([{ entity: 'contact:a/b %' }]);
    expect((await exported('json', '&kind=task')).json).toEqual([]);
  });

  it('as CSV has a column for each single value, and no cell that a spreadsheet would run', async () => {
    const { text, headers } = await exported('csv');
    expect(headers).toMatchObject({ 'content-disposition': 'attachment; filename="entities.csv"' });
    const [head, row] = text.slice(1).split('\r\n');
    expect(head).toBe(
      'entity,name,state,updated_at,received_at,event_id,event_type,source,data.id,data.name,data.price,data.of.city',
    );
    expect(row).toContain(`contact:a/b %,'=cmd|'x',present,`);
    expect(row).toMatch(new RegExp(`,event,a/b %,'=cmd\\|'x',${PRICE},"Oslo, Norway"$`));
    const asked = (await exported('csv', '&field=data.tags')).text.slice(1).split('\r\n');
    expect([asked[0]!.endsWith(',data.tags'), asked[1]!.endsWith('"[""a""]"')]).toEqual([true, true]);
  });
});

it('the entities that differ between two points in time are those with events in between', async () => {
  expect(await changes(`from=${seqs[0]! - 1}&to=${seqs[1]}`)).toMatchObject({
    data: [{ entity: 'deal:9007199254740993', change: 'created', name: 'Solar', event_ids: { length: 2 } }],
    from: { seq: seqs[0]! - 1 },
    to: { seq: seqs[1] },
  });
  expect((await changes(`from=${seqs[1]}&to=${seqs[2]}`)).data).toMatchObject([
    { change: 'changed', changes: [{ path: 'data.status_id', before: 2, after: 3 }] },
  ]);
  expect((await changes(`from=${seqs[2]}`)).data).toMatchObject([
    { entity: 'contact:a/b %', change: 'created' },
    { entity: 'deal:9007199254740993', change: 'deleted', changes: [] },
  ]);
  expect((await changes(`from=${seqs[2]}&kind=task`)).data).toEqual([]);
});
