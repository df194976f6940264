import { compareSchemas, markGone } from '../../../src/relay/payload-schemas/compare-schemas';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { newSchema, readSchema, writeSchema } from '../../../src/relay/payload-schemas/schema-node';

const DAY_MS = 86_400_000;

const many = <Value>(count: number, of: (i: number) => Value) =>
  Array.from({ length: count }, (_, i) => of(i));

/** Of payloads with the `seq`s 1, 2 and so on, received at 0: what changed after the first ones. */
function changes(first: readonly unknown[], later: readonly unknown[], ageMs = 0) {
  const examiner = new PayloadExaminer(newSchema(1, 0));
  for (const [i, payload] of first.entries()) examiner.examine(payload, i + 1, 0);
  const earlier = readSchema(writeSchema(examiner.schema));
  for (const [i, payload] of later.entries()) examiner.examine(payload, first.length + i + 1, 0);
  markGone(examiner.schema, () => ageMs);
  return compareSchemas(earlier, readSchema(writeSchema(examiner.schema)));
}

const deals = many(100, (id) => ({ data: { id, name: 'Deal', tags: [], custom: {}, price: 1.5 } }));
const [deal] = deals;

it('the same payloads are no change, nor is an integer where numbers were', () => {
  expect(changes(deals, [deal, { data: { ...deal!.data, price: 2 } }])).toEqual([]);
});

it.each([
  ['a new path', { note: { by: 'x' } }, 'data.note', 'added', null, 'object'],
  ['another type', { name: null }, 'data.name', 'type_added', 'string', 'null | string'],
  ['a number that is no integer', { id: 1.5 }, 'data.id', 'type_added', 'integer', 'integer | number'],
  ['a missing required path', { id: undefined }, 'data.id', 'missing', 'required', 'optional'],
  ['the first element of an array', { tags: ['a'] }, 'data.tags[]', 'added', null, 'string'],
  ['a name with a dot', { 'a.b': 1 }, String.raw`data.a\.b`, 'added', null, 'integer'],
])('%s is a change, with its first event', (_, part, path, change, before, after) => {
  const changed = JSON.parse(JSON.stringify({ data: { ...deal!.data, ...part } })) as unknown;
  expect(changes(deals, [deal, changed, changed])).toEqual([{ path, change, before, after, seq: 102 }]);
});

it('an object that becomes a map is one change, whatever its keys', () => {
  const before = many(100, () => ({ custom: { 17: 'x' } }));
  const after = many(5, (i) => ({ custom: { [100 + i]: 'x' } }));
  expect(changes(before, after)).toEqual([
    { path: 'custom', change: 'map', before: 'object', after: 'map', seq: 102 },
  ]);
});

const later = (count: number) => many(count, () => deal);

describe('a path that no longer occurs', () => {
  const gone = { path: 'data.old', change: 'gone', before: 'object', after: null, seq: null };
  const withOld = deals.map(({ data }, i) => ({ data: i % 2 ? data : { ...data, old: { inner: 1 } } }));

  it('is gone after 7 days and 1,000 events, with all below it', () => {
    expect(changes(withOld, later(1_000), 7 * DAY_MS)).toEqual([gone]);
    expect(changes(withOld, later(998), 7 * DAY_MS)).toEqual([]);
    expect(changes(withOld, later(1_000), 6 * DAY_MS)).toEqual([]);
  });

  it('is not gone if it was rare', () => {
    const rare = many(200, (i) => (i === 100 ? withOld[0] : deal));
    expect(
      changes(
        rare,
        many(1_000, () => deal),
        7 * DAY_MS,
      ),
    ).toEqual([]);
  });
});
