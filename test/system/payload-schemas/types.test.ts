import { payloadFields } from '../../../src/contract/payload-field';
import {
  payloadType,
  payloadTypes,
  payloadTypeVersions,
  type PayloadNode,
} from '../../../src/contract/payload-type';
import { settings } from '../../../src/contract/settings';
import { queryStored } from '../../support/daemon/stored-data';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

useFastIntervals(200);

/** Each occurs in several payloads, as the words of a vocabulary do. */
const PERSONS = Array.from({ length: 12 }, (_, i) => ({
  full_name: `Ola Nordmann${i}`,
  email: `ola${i}@example.com`,
  phone: `+47 22 33 44 ${10 + i}`,
  number: 4_722_334_410 + i,
  consents: { [`kari${i}@example.com`]: true },
}));
const PERSONAL = /nordmann|(ola|kari)\d|22 33 44|47223344\d\d/i;

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

const list = () => switchboard.read(payloadTypes, '/types');

const examined = (type: string, count: number) =>
  until(`${count} of ${type} are examined`, async () => {
    const { data } = await list();
    return data.find((one) => one.type === type)?.examined === count;
  });

it('learns the schemas of the payloads, each event once, also across a restart and a move of the clock', async () => {
  for (let id = 0; id < 60; id += 1) {
    const stage = id % 2 === 0 ? 'in_progress' : 'won';
    await switchboard.emit('deal.created', { id, name: `Deal ${id}`, stage, person: PERSONS[id % 12] });
  }
  await switchboard.emit('contact.created', { id: 1 });
  await examined('deal.created', 60);
  await until('it has a version', async () => (await list()).data.some(({ state }) => state === 'stable'));
  await switchboard.restart();
  await switchboard.emit('deal.created', { id: 'text', name: null });
  await examined('deal.created', 61);
  const { data, watching } = await list();
  expect(watching).toBe(true);
  expect(data).toMatchObject([
    { type: 'contact.created', state: 'learning', events: 1, examined: 1 },
    { type: 'deal.created', state: 'stable', events: 61, examined: 61 },
  ]);
  const { root } = await switchboard.read(payloadType, '/types/deal.created');
  const { data: inner } = (root as unknown as PayloadNode).properties!;
  expect(inner!.properties).toMatchObject({
    id: { types: { integer: 60, string: 1 }, share: 1, required: false },
    name: { types: { string: 60, null: 1 } },
  });
});

it('shows the first version as it was, and answers 404 to one that was not made', async () => {
  const path = '/types/deal.created';
  expect((await switchboard.read(payloadTypeVersions, `${path}/versions`)).data).toMatchObject([
    { version: 1, accepted_at: null, changes: [] },
  ]);
  const first = await switchboard.read(payloadType, `${path}?version=1`);
  expect(first).toMatchObject({ version: 1, state: 'stable', root: { types: {}, properties: {} } });
  for (const [missing, code] of [
    [`${path}?version=2`, 'version_unknown'],
    ['/types/deal.moved/versions', 'type_unknown'],
  ])
    expect(await switchboard.ask(missing!)).toMatchObject({ status: 404, json: { code } });
  expect(await switchboard.ask(`${path}?version=newest`)).toMatchObject({ status: 400 });
});

it('keeps words of a vocabulary, but nothing of persons, in the database, in answers and exports', async () => {
  const texts: string[] = [];
  for (const table of ['payload_schemas', 'payload_schema_versions']) {
    const rows = await queryStored(switchboard.dataDir, `SELECT * FROM ${table} WHERE type = 'deal.created'`);
    texts.push(JSON.stringify(rows));
    expect(texts.at(-1)).toContain('in_progress');
  }
  const formats = ['typescript', 'json_schema', 'asyncapi'].map((format) => `export?format=${format}`);
  for (const path of ['deal.created', 'deal.created?version=1', ...formats]) {
    const { text } = await switchboard.ask(`/types/${path}`);
    expect(text).toContain('full_name');
    texts.push(text);
  }
  for (const text of texts) expect(text).not.toMatch(PERSONAL);
});

it('offers fields for conditions that the newest events lack, or that are not read for it', async () => {
  await switchboard.emit('report.sent', { text: 'x'.repeat(70_000), parts: [{ pages: 2 }] });
  await examined('report.sent', 1);
  const { checked, fields } = await switchboard.read(payloadFields, '/events/fields?type=report.*');
  expect(checked).toBe(0);
  expect(fields).toContainEqual({ path: 'data.text', kinds: ['string'], events: 0, samples: [] });
  expect(fields).toContainEqual({ path: 'data.parts.pages', kinds: ['number'], events: 0, samples: [] });
});

it('exports them, and answers 404 to a type that was not examined', async () => {
  const { text } = await switchboard.ask('/types/export?format=typescript&type=contact.*');
  expect(text).toContain('export type CopilotEvent =\n  | ContactCreated;');
  const { json } = await switchboard.ask('/types/export?format=json_schema');
  expect(Object.keys((json as { $defs: object }).$defs)).toEqual([
    'ContactCreated',
    'DealCreated',
    'ReportSent',
  ]);
  expect(await switchboard.ask('/types/relay.disk.low')).toMatchObject({
    status: 404,
    json: { code: 'type_unknown' },
  });
  expect(await switchboard.ask('/types/export?format=xml')).toMatchObject({ status: 400 });
});

it('learns nothing more where it is switched off, and shows what it knew', async () => {
  await switchboard.restart({ SWITCHBOARD_CONTRACT_WATCH: 'off' });
  expect(await switchboard.read(settings, '/settings')).toMatchObject({ contract_watch: false });
  const { data, watching } = await list();
  expect(watching).toBe(false);
  expect(data).toHaveLength(3);
});
