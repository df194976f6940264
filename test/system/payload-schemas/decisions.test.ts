import { alertSummary } from '../../../src/contract/alert';
import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { payloadType, payloadTypes, payloadTypeVersions } from '../../../src/contract/payload-type';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

useFastIntervals(200);

const TYPE = '/types/deal.created';
const MINUTE_MS = 60_000;

let hub: Switchboard;

beforeAll(async () => {
  hub = await Switchboard.start();
  for (let id = 0; id < 60; id += 1)
    await hub.emit('deal.created', { id, name: 'Deal', custom: { color: 'red' } });
  await reached({ version: 1, examined: 60 });
});
afterAll(() => hub.end());

/** The type, once it has these properties. */
async function reached(wanted: object) {
  let found: unknown;
  await until(`the type has ${JSON.stringify(wanted)}`, async () => {
    const { status, json } = await hub.ask(TYPE);
    found = json;
    return (
      status === 200 &&
      Object.entries(wanted).every(([key, value]) => (json as never)[key] === (value as never))
    );
  });
  return payloadType.parse(found);
}

const alerts = async () =>
  (await hub.read(pageOf(alertSummary), '/alerts')).data.filter(
    ({ type }) => type === 'relay.payload.changed',
  );

it('tells of a change by an alert that names its events, until an operator accepts the version', async () => {
  const deal = { name: 'Deal', custom: { color: 'red' } };
  const added = await hub.emit('deal.created', { ...deal, id: 61, note: 'x' });
  const nulled = await hub.emit('deal.created', { ...deal, id: 62, name: null });
  await reached({ examined: 62 });
  // The change is found at one of these checks, and has been known for ten minutes at a later one.
  await until('there is another version', async () => {
    hub.clock.move(MINUTE_MS);
    return (await hub.read(payloadType, TYPE)).version === 2;
  });
  await until('there is an alert', async () => (await alerts()).length > 0);
  const changes = [
    { path: 'data.name', change: 'type_added', before: 'string', after: 'null | string', event_id: nulled },
    { path: 'data.note', change: 'added', before: null, after: 'string', event_id: added },
  ];
  expect(await alerts()).toMatchObject([
    { subject: 'deal.created', severity: 'warning', data: { version: 2, previous_version: 1, changes } },
  ]);
  expect(await hub.read(payloadType, TYPE)).toMatchObject({ state: 'changed' });
  expect(await hub.read(payloadType, `${TYPE}/accept`, { method: 'POST' })).toMatchObject({
    state: 'stable',
  });
  await until('it is resolved', async () => (await alerts()).length === 0);
  const { data: versions } = await hub.read(payloadTypeVersions, `${TYPE}/versions`);
  expect(versions).toMatchObject([
    { version: 2, changes, accepted_at: expect.any(String) as string },
    { version: 1, changes: [] },
  ]);
});

it('learns on as an operator has decided, also after a restart', async () => {
  const overrides = { maps: ['data.custom'], objects: [], ignore: ['data.nonce'], enums: [] };
  const json = { maps: ['data.custom'], ignore: ['data.nonce'] };
  const changed = await hub.read(payloadType, TYPE, { method: 'PATCH', json });
  expect(changed).toMatchObject({ version: 2, examined: 62, overrides });
  await hub.restart();
  await hub.emit('deal.created', { id: 63, custom: { size: 1 } });
  const { root, overrides: kept } = await reached({ examined: 63 });
  expect(kept).toEqual(overrides);
  const data = (root as { properties: { data: { properties: Record<string, object> } } }).properties.data;
  expect(Object.keys(data.properties)).toEqual(['id', 'name', 'custom', 'note']);
  expect(data.properties['custom']).toMatchObject({ map: { types: { string: 62, integer: 1 } } });
  const wrong = await hub.ask(TYPE, { method: 'PATCH', json: { maps: ['data.unknown'] } });
  expect(wrong).toMatchObject({ status: 422, json: { code: 'overrides_invalid' } });
});

it('forgets a type, and learns it anew from the next event', async () => {
  expect((await hub.ask(TYPE, { method: 'DELETE' })).status).toBe(204);
  expect((await hub.read(payloadTypes, '/types')).data).toEqual([]);
  await hub.restart();
  await hub.emit('deal.created', { id: 64 });
  expect(await reached({ examined: 1 })).toMatchObject({ state: 'learning', version: null });
  expect((await hub.read(payloadTypeVersions, `${TYPE}/versions`)).data).toEqual([]);
});

it('records who decided what', async () => {
  const { data } = await hub.read(pageOf(auditEntry), '/audit?action=payload_type.*');
  expect(data.map(({ action, subject }) => [action, subject?.id])).toEqual([
    ['payload_type.remove', 'deal.created'],
    ['payload_type.change', 'deal.created'],
    ['payload_type.accept', 'deal.created'],
  ]);
});
