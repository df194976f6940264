import * as fc from 'fast-check';
import { compileFilter } from '../../../src/relay/filters/compile-filter';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { explainMismatch } from '../../../src/relay/filters/explain-mismatch';
import { parseExactJson } from '../../../src/relay/ground/parse-body';
import { matchersOf } from '../../../src/relay/targets/target-row';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { acceptingTargets } from '../../../src/relay/targets/accepting-targets';
import { type Filter, type Json, filters, naive, root } from './naive-filter';

const holds = (filter: Filter, content: Json) => compileFilter(filter)(content);

function errorsOf(filter: Filter): string[] {
  try {
    compileFilter(filter);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    expect(error).toMatchObject({ code: 'filter_invalid', status: 422 });
    return error.errors!.map(({ path }) => path);
  }
  return [];
}

const wide = (count: number): Filter =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, { $exists: true }]));

describe('a filter', () => {
  it('matches exactly as its description says', () => {
    let matches = 0;
    const runs = 5_000;
    fc.assert(
      fc.property(filters, root, (one, value) => {
        // A filter has at most 50 conditions, each after a colon.
        fc.pre(JSON.stringify(one).split(':').length <= 50);
        const expected = naive.filter(one, value);
        matches += expected ? 1 : 0;
        expect(holds(one, value)).toBe(expected);
        expect(explainMismatch(one, value) === null).toBe(expected);
      }),
      { numRuns: runs },
    );
    // Both results were frequent enough to be meaningful.
    expect(matches).toBeGreaterThan(runs / 10);
    expect(matches).toBeLessThan((runs * 9) / 10);
  });

  it.each<[Filter, Json, boolean]>([
    [{ 'data.status_id': { $in: [2, 3] } }, { data: { status_id: 3 } }, true],
    [{ 'data.status_id': { $in: [2, 3] } }, { data: { status_id: '3' } }, false],
    [{ 'data.tags.name': 'hot' }, { data: { tags: [{ name: 'cold' }, { name: 'hot' }] } }, true],
    [{ 'data.tags.1.name': 'hot' }, { data: { tags: [{ name: 'hot' }, { name: 'cold' }] } }, false],
    [{ 'data.tags': { $ne: 'hot' } }, { data: { tags: ['cold', 'hot'] } }, false],
    [{ 'data.price': { $ne: 5 } }, { data: {} }, true],
    [{ 'data.price': null }, { data: {} }, false],
    [{ 'data.price': null }, { data: { price: null } }, true],
    [{ 'data.price': { $exists: true } }, { data: { price: null } }, true],
    [{ 'data.price': { $gte: 5, $lt: 10 } }, { data: { price: 10 } }, false],
    [{ 'data.price': { $gte: 5, $lte: 10 } }, { data: { price: 10 } }, true],
    [{ 'data.name': { $startsWith: 'b' } }, { data: { name: 'ab' } }, false],
    [{ timestamp: { $gte: '2026-03-01' } }, { timestamp: '2026-03-02T09:30:00.000Z' }, true],
    [{ 'data.name': { $not: { $startsWith: 'Test' } } }, { data: { name: 'Test 1' } }, false],
    [{ $or: [{ event: 'a' }, { $not: { event: { $contains: 'b' } } }] }, { event: 'abc' }, false],
    [{ hasOwnProperty: { $exists: true } }, {}, false],
    [{ '__proto__.x': { $exists: true } }, {}, false],
    [{ 'data.constructor.name': 'Object' }, { data: {} }, false],
    [{ 'data.constructor': 'ACME' }, { data: { constructor: 'ACME' } }, true],
    [{ 'data.__proto__.x': 1 }, JSON.parse('{"data":{"__proto__":{"x":1}}}') as Json, true],
    [{ 'data.custom\\.field': 'gold' }, { data: { 'custom.field': 'gold' } }, true],
    [{ 'data.custom\\.field': 'gold' }, { data: { custom: { field: 'gold' } } }, false],
    [{ 'data.custom.field': 'gold' }, { data: { 'custom.field': 'gold' } }, false],
    [{ 'data.a\\\\.b': 1 }, { data: { 'a\\': { b: 1 } } }, true],
    [{ 'data.a\\\\\\.b': 1 }, { data: { 'a\\.b': 1 } }, true],
    [{ 'data.a\\b': 1 }, { data: { 'a\\b': 1 } }, true],
    [{ 'data.$ref': 7 }, { data: { $ref: 7 } }, true],
    [{ '\\$ref': 7 }, { $ref: 7 }, true],
    [{ 'data.\\$eq': 7 }, { data: { $eq: 7 } }, true],
    [{ 'data.[a "b"] \u00e9': 1 }, { data: { '[a "b"] \u00e9': 1 } }, true],
    [{ 'data.arr.k': 'v' }, { data: { arr: [[{ k: 'v' }]] } }, true],
    [{ 'data.arr.k': 'v' }, { data: { arr: [1, [[[{ k: ['u', ['v']] }]]]] } }, true],
    [{ 'data.arr': { $ne: 3 } }, { data: { arr: [[1], [[3]]] } }, false],
    [{ 'data.arr.1.k': 'v' }, { data: { arr: [[{ k: 'v' }], { k: 'w' }] } }, false],
  ])('such as %j matches %j: %s', (one, value, expected) => expect(holds(one, value)).toBe(expected));

  it.each<[Filter, Json, string]>([
    [
      { event: 'a', 'data.n': { $gte: 5, $lt: 10 } },
      { event: 'a', data: { n: 10 } },
      'data.n must be less than 10, but it is 10',
    ],
    [{ 'data.n': 5 }, { data: { n: '5' } }, 'data.n must be 5, but it is "5"'],
    [{ price: { $gt: 5 } }, { data: { price: 6 } }, 'price must be greater than 5, but it is missing'],
    [
      { 'data.tags.name': { $in: ['x', 'y'] } },
      { data: { tags: [{ name: 'a' }, { name: 'b' }] } },
      'data.tags.name must be one of ["x","y"], but it is "a", "b"',
    ],
    [
      { $or: [{ a: 1 }, { b: { $exists: false } }] },
      { a: 2, b: 3 },
      'none of 2 alternatives matches: a must be 1, but it is 2',
    ],
    [
      { $and: [{ a: 2 }, { b: { $not: { $contains: 'x' } } }] },
      { a: 2, b: 'xy' },
      'b must not match {"$contains":"x"}, but it is "xy"',
    ],
    [{ $not: { a: 2 } }, { a: 2 }, 'the payload matches what the filter excludes, {"a":2}'],
  ])('that excludes an event tells the condition and the value: %j, %j', (one, value, reason) =>
    expect(explainMismatch(one, value)).toBe(reason),
  );

  it('never confuses large integers', () => {
    const parsed = JSON.parse('{"id": 9007199254740993}') as Json;
    expect(holds({ id: Number.MAX_SAFE_INTEGER }, parsed)).toBe(false);
    expect(holds({ id: { $gt: Number.MAX_SAFE_INTEGER } }, parsed)).toBe(true);
    expect(errorsOf({ id: 9_007_199_254_740_992 })).toEqual(['filter.id']);
    expect(errorsOf(JSON.parse('{"id": {"$in": [1, 1e400]}}') as Filter)).toEqual(['filter.id.$in']);
  });

  it.each<[condition: string, id: string, expected: boolean]>([
    ['9223372036854775807', '9223372036854775807', true],
    ['9223372036854775807', '9223372036854775807.0', true],
    ['9223372036854775807', '"9223372036854775807"', true],
    ['"9223372036854775807"', '9223372036854775807', true],
    ['9223372036854775807', '9223372036854775806', false],
    ['{"$in":[1,9223372036854775807]}', '9223372036854775807', true],
    ['{"$ne":9223372036854775806}', '9223372036854775807', true],
    ['{"$gt":9223372036854775806}', '9223372036854775807', true],
    ['{"$gte":9223372036854775808}', '9223372036854775807', false],
    ['{"$lt":9223372036854775807}', '5', true],
    ['{"$lt":9223372036854775807}', '"5"', true],
    ['{"$gt":-9223372036854775808}', '-9223372036854775807', true],
    ['{"$gt":5}', '9223372036854775807', true],
    ['{"$lt":"5"}', '9223372036854775807', false],
    ['0.1', '0.10', true],
    ['0.1', '0.10000000000000000001', false],
    ['0.10000000000000000001', '0.1000000000000000000100', true],
  ])('with %s is compared with %s by all digits: %s', (condition, id, expected) => {
    const one = parseExactJson(`{ "id": ${condition}}`) as Filter;
    const value = parseExactJson(`{ "id": [${id}]}`);
    expect(compileFilter(one)(value)).toBe(expected);
    // As it is stored.
    expect(compileFilter(JSON.parse(JSON.stringify(one)) as Filter)(value)).toBe(expected);
    expect(explainMismatch(one, value) === null).toBe(expected);
  });

  it('that excludes an exact number tells its digits', () => {
    const one = { 'data.id': { $gt: 9 }, 'data.id.x': 1 };
    expect(explainMismatch(one, parseExactJson('{"data":{"id":9223372036854775807}}'))).toMatch(
      /it is missing/,
    );
    expect(explainMismatch({ 'data.id': 9 }, parseExactJson('{"data":{"id": 9223372036854775807}}'))).toBe(
      'data.id must be 9, but it is 9223372036854775807',
    );
  });

  it.each<[string, Filter, string[]]>([
    ['code', { $where: 'true' }, ['filter.$where']],
    ['an expression', { 'data.name': { $regex: '^(a+)+$' } }, ['filter.data.name.$regex']],
    ['an operator within a path', { 'data.$gt': 1 }, ['filter.data.$gt']],
    ['an empty name', { 'data.': 1 }, ['filter.data.']],
    ['an empty step', { 'data..id': 1 }, ['filter.data..id']],
    ['an operator at the top', { $gt: 1 }, ['filter.$gt']],
    ['an object as a value', { data: { id: 1 } }, ['filter.data.id']],
    ['an object in a list', { a: { $in: [{}] } }, ['filter.a.$in']],
    ['a list as a value', { a: [1] }, ['filter.a']],
    ['an operand that is not a list', { $and: {} }, ['filter.$and']],
    ['an empty list', { $or: [] }, ['filter.$or']],
    ['nothing', {}, ['filter']],
    ['an empty condition', { a: {} }, ['filter.a']],
    ['an operand that is not a flag', { a: { $exists: 1 } }, ['filter.a.$exists']],
    ['an order of flags', { a: { $gt: true } }, ['filter.a.$gt']],
    ['an operand that is not a string', { a: { $contains: 1 } }, ['filter.a.$contains']],
    [
      'two faults',
      { $and: [{ a: 1 }, { b: { $x: 1 } }, { $y: 1 }] },
      ['filter.$and.1.b.$x', 'filter.$and.2.$y'],
    ],
  ])('is rejected for %s, with its path', (_, one, paths) => expect(errorsOf(one)).toEqual(paths));

  it('is rejected if it is too deep or too large', () => {
    const nested = (levels: number): Filter => (levels === 1 ? { a: 1 } : { $not: nested(levels - 1) });
    expect(errorsOf(nested(8))).toEqual([]);
    expect(errorsOf(nested(9))).toHaveLength(1);
    expect(errorsOf(nested(3_000))).toHaveLength(1);
    expect(errorsOf(wide(50))).toEqual([]);
    expect(errorsOf(wide(51))).toEqual(['filter']);
    expect(errorsOf({ a: { $in: Array.from({ length: 201 }, (__, i) => i) } })).toEqual(['filter.a.$in']);
    expect(errorsOf({ a: 'x'.repeat(1_001) })).toEqual(['filter.a']);
    const large = Array.from({ length: 17 }, (__, i) => ({ a: `${i}${'x'.repeat(990)}` }));
    expect(errorsOf({ $or: large })).toEqual(['filter']);
    expect(errorsOf({ [Array(11).fill('a').join('.')]: 1 })).toHaveLength(1);
    expect(errorsOf({ ['x'.repeat(200_000)]: 1 })[0]!.length).toBeLessThan(300);
  });

  it.each<[string, unknown, number]>([
    ['51st condition', 1, 51],
    ['21st fault', {}, 21],
  ])('is rejected at its %s, without reading the rest', (_, value, maxReads) => {
    let reads = 0;
    const counted = () => {
      reads += 1;
      return value;
    };
    const condition = () => Object.defineProperty({}, '$eq', { enumerable: true, get: counted });
    const many = Array.from({ length: 200 }, (__, i) => [`a${i}`, condition()] as const);
    expect(errorsOf(Object.fromEntries(many))).not.toEqual([]);
    expect(reads).toBe(maxReads);
    reads = 0;
    expect(errorsOf({ $and: many.map(([name, one]) => ({ [name]: one })) })).not.toEqual([]);
    expect(reads).toBe(maxReads);
  });
});

const target = (events: string[], one: Filter | null, enabled = true) =>
  ({ enabled, ...matchersOf({ events, filter: one, format: 'json' }) }) as TargetRecord;

const neverRead = () => {
  throw new Error('It is unreadable.');
};

describe('the targets of an event', () => {
  const all = target(['*'], null);
  const some = target(['*'], { 'data.id': 1 });
  const deals = target(['deal.*'], { 'data.id': { $exists: false } });

  it('are those whose filter matches; the JSON is parsed once, and only if a filter needs it', () => {
    let parsed = 0;
    const read = () => {
      parsed += 1;
      return { data: { id: 1 } };
    };
    const deal = { type: 'deal.created' };
    expect(acceptingTargets(deal, [all, target(['task.*'], { a: 1 })], read)).toEqual([all]);
    expect(acceptingTargets(deal, [all, target(['*'], { a: 1 }, false)], read)).toEqual([all]);
    expect(parsed).toBe(0);
    expect(acceptingTargets(deal, [deals, some, all], read)).toEqual([some, all]);
    expect(parsed).toBe(1);
  });

  it('are, for an unreadable event, those that accept all types and have no filter', () => {
    const unreadable = { type: 'unreadable' };
    const nothing = target(['*'], { a: { $exists: false } });
    expect(acceptingTargets(unreadable, [all, nothing, deals], neverRead)).toEqual([all]);
  });
});
