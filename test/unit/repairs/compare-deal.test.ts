import { compareDeal } from '../../../src/relay/repairs/compare-deal';
import { eventTypesOf, syntheticEvent } from '../../../src/relay/repairs/synthetic-event';

const LOW = 100;

const state = (record: object, { seq = 50, version = 5, type = 'deal.updated' } = {}) => ({
  entity: 'deal:1',
  seq,
  version,
  type,
  name: null,
  receivedAt: 0,
  origin: null,
  repairId: null,
  body: Buffer.from(JSON.stringify({ data: record })),
});

const known = { id: 1, name: 'Known', status_id: 1 };

it.each([
  ['missing, if nothing is known', null, 5, 'missing'],
  ['the same', state(known), 5, 'same'],
  ['changed, at the same version too', state({ ...known, name: 'Other' }), 5, 'changed'],
  ['older than what is known', state({ ...known, name: 'Other' }, { version: 6 }), 5, 'older'],
  [
    'less than an event that has arrived',
    state({ ...known, name: 'Other' }, { seq: 101 }),
    5,
    'arrived_meanwhile',
  ],
  [
    'newer than a late event that has arrived',
    state({ ...known, name: 'X' }, { seq: 101, version: 4 }),
    5,
    'changed',
  ],
  [
    'without a version, less than any event that has arrived',
    state(known, { seq: 101 }),
    null,
    'arrived_meanwhile',
  ],
  ['there again, after it was deleted', state(known, { type: 'deal.deleted' }), 6, 'missing'],
  ['deleted since', state(known, { type: 'deal.deleted' }), 5, 'older'],
  ['the same, if a field is only in one of both', state({ id: 1, name: 'Known', phone: '1' }), 5, 'same'],
])('a deal that was read is %s', (_, found, version, expected) => {
  expect(compareDeal({ version, record: known }, found, LOW)).toBe(expected);
});

const item = (record: object) => ({
  entity: 'deal:1',
  action: 'changed' as const,
  version: 7,
  record: Buffer.from(JSON.stringify(record)),
});
const outage = { began_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-02T00:00:00Z' } as never;

it.each([
  ['a status', item({ ...known, status_id: 2, updated_at: 'b' }), ['deal.status_changed']],
  ['a name', item({ ...known, name: 'B' }), ['deal.updated']],
  ['both', item({ ...known, name: 'B', status_id: 2 }), ['deal.status_changed', 'deal.updated']],
])('a changed deal becomes an event of each kind of change: %s', (_, changed, types) => {
  expect(eventTypesOf(changed, state({ ...known, updated_at: 'a' }), [])).toEqual(types);
});

const created = (at: string) => ({ ...item({ id: 1, created_at: at }), action: 'missing' as const });

it('a missing deal was created if that lies in an outage', () => {
  expect(eventTypesOf(created('2026-01-01T12:00:00Z'), null, [outage])).toEqual(['deal.created']);
  expect(eventTypesOf(created('2025-12-31T12:00:00Z'), null, [outage])).toEqual(['deal.updated']);
});

it('an event of a repair has the bytes of the record, its mark, and an identity of its own', () => {
  const repair = { id: 'rpr_1', read_at: 0, outage_ids: ['out_1'], target_ids: null };
  const record = Buffer.from('{"id":9007199254740993,"name":"A"}');
  const make = (type: 'deal.updated' | 'deal.deleted') =>
    syntheticEvent(repair, { ...item({}), record }, type, { webhookId: 'wh_1', now: 9 }).draft;
  const { body, ...draft } = make('deal.updated');
  expect(Buffer.from(body).toString()).toBe(
    '{"event":"deal.updated","timestamp":"1970-01-01T00:00:00.000Z","webhook_id":"wh_1","data":{"id":9007199254740993,"name":"A"},' +
      '"switchboard":{"synthetic":true,"repair_id":"rpr_1","read_at":"1970-01-01T00:00:00.000Z","outage_ids":["out_1"]}}',
  );
  expect(draft).toMatchObject({ name: 'A', version: 7, signatureHeader: '', signatureValue: 'rpr_1' });
  expect(make('deal.updated').identity).toEqual(draft.identity);
  expect(make('deal.deleted').identity).not.toEqual(draft.identity);
});
