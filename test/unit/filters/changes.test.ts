import * as fc from 'fast-check';
import { compileFilter, looksAtChanges } from '../../../src/relay/filters/compile-filter';
import { explainMismatch } from '../../../src/relay/filters/explain-mismatch';
import { parseExactJson } from '../../../src/relay/ground/parse-body';
import type { RelayError } from '../../../src/relay/ground/relay-error';
import type { Filter, Json } from './naive-filter';

const of = (data: Json): Json => ({ data });
const became = (value: Json): Filter => ({ 'data.status': { $became: value } });

const judge = (filter: Filter, now: unknown, before: unknown) =>
  compileFilter(filter)(now, before === 'unknown' ? null : () => before);

function errorsOf(filter: Filter): string[] {
  try {
    compileFilter(filter);
    return [];
  } catch (error) {
    return (error as RelayError).errors!.map(({ path }) => path);
  }
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`data.a${i}`, { $changed: true }]));

describe('a filter on changes', () => {
  it.each<[Filter, before: Json | undefined, now: Json, expected: boolean | null]>([
    [became(142), of({ status: 1 }), of({ status: 142 }), true],
    [became(142), of({ status: 142 }), of({ status: 142 }), false],
    [became(142), of({}), of({ status: 142 }), true],
    [became(142), undefined, of({ status: 142 }), true],
    [became(142), 'unknown', of({ status: 142 }), null],
    [became(142), 'unknown', of({ status: 1 }), false],
    [became({ $in: [142, 143] }), of({ status: 142 }), of({ status: 143 }), false],
    [became({ $exists: false }), of({ status: 142 }), of({}), true],
    [became({ $gte: 5, $lt: 10 }), of({ status: 12 }), of({ status: 7 }), true],
    [{ 'data.price': { $was: { $gte: 100 } } }, of({ price: 100 }), of({ price: 1 }), true],
    [{ 'data.price': { $was: { $gte: 100 } } }, undefined, of({ price: 1 }), false],
    [{ 'data.price': { $was: 5 } }, 'unknown', of({ price: 5 }), null],
    [{ 'data.tags': { $changed: true } }, of({ tags: ['a', 'b'] }), of({ tags: ['b', 'a'] }), true],
    [
      { 'data.owner': { $changed: true } },
      of({ owner: { a: 1, b: [2] } }),
      of({ owner: { b: [2], a: 1 } }),
      false,
    ],
    [{ 'data.owner': { $changed: true } }, of({ owner: null }), of({}), true],
    [{ 'data.owner': { $changed: false } }, of({ owner: 1 }), of({ owner: 1 }), true],
    [{ 'data.owner': { $not: { $changed: true } } }, 'unknown', of({}), null],
    [{ $and: [became(1), { 'data.x': 2 }] }, 'unknown', of({ status: 1, x: 3 }), false],
    [{ $or: [became(1), { 'data.x': 3 }] }, 'unknown', of({ status: 1, x: 3 }), true],
    [{ $or: [became(1), { 'data.x': 2 }] }, 'unknown', of({ status: 1, x: 3 }), null],
    [{ $not: became(1) }, 'unknown', of({ status: 1 }), null],
  ])('such as %j judges %j → %j as %s', (filter, before, now, expected) => {
    expect(looksAtChanges(filter)).toBe(true);
    expect(judge(filter, now, before)).toBe(expected);
  });

  it('compares numbers by all their digits', () => {
    const changed: Filter = { 'data.id': { $changed: true } };
    const [one, other] = ['{"data":{"id":9007199254740993}}', '{"data":{"id":9007199254740995}}'];
    expect(judge(changed, parseExactJson(one), parseExactJson(other))).toBe(true);
    expect(judge(changed, parseExactJson(one), parseExactJson(one.replace('3}', '3.0}')))).toBe(false);
  });

  it('is certain only of what holds for every state before', () => {
    const value = fc.constantFrom<Json>(1, 2, [1], { a: 1 });
    const record = fc.dictionary(fc.constantFrom('x', 'y'), value, { noNullPrototype: true }).map(of);
    const leaf = fc
      .tuple(
        fc.constantFrom('data.x', 'data.y', 'data.x.a'),
        fc.constantFrom('$was', '$became', '$changed', '$eq'),
      )
      .map(([path, operator]): Filter => ({ [path]: { [operator]: operator === '$changed' || 1 } }));
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ $and: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ $or: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ $not: tie('filter') }),
      ),
    }));
    fc.assert(
      fc.property(filter, record, record, (one, now, before) => {
        const [uncertain, certain] = [judge(one, now, 'unknown'), judge(one, now, before)];
        expect(certain).not.toBeNull();
        expect([null, certain]).toContain(uncertain);
        expect(explainMismatch(one, now, { previous: () => before }) === null).toBe(certain);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, Filter, string[]]>([
    ['a path outside the record', { event: { $became: 'a' } }, ['filter.event.$became']],
    ['the whole record', { data: { $changed: true } }, ['filter.data.$changed']],
    ['another one in it', { 'data.a': { $became: { $was: 1 } } }, ['filter.data.a.$became.$was']],
    ['an operand that is not a flag', { 'data.a': { $changed: 1 } }, ['filter.data.a.$changed']],
    ['an invalid condition', { 'data.a': { $was: { $in: 1 } } }, ['filter.data.a.$was.$in']],
    ['an operator at the top', { $became: 1 }, ['filter.$became']],
    ['an operator within a path', { 'data.$was': 1 }, ['filter.data.$was']],
  ])('is rejected for %s, with its path', (_, filter, paths) => expect(errorsOf(filter)).toEqual(paths));

  it('has at most ten of its operators', () => {
    expect(errorsOf(many(10))).toEqual([]);
    expect(errorsOf(many(11))).toEqual(['filter']);
  });

  it('is not one only because of its texts', () => {
    expect(looksAtChanges({ 'data.a': '"$was":', 'data.b': '$became', 'data.\\$was': 1 })).toBe(false);
  });

  it.each<[Filter, before: Json | undefined, now: Json, string]>([
    [
      became(142),
      of({ status: 142 }),
      of({ status: 142 }),
      'data.status must become 142, but it already was 142 in evt_1',
    ],
    [became(142), of({ status: 1 }), of({ status: 2 }), 'data.status must become 142, but it is 2'],
    [{ 'data.a': { $was: 1 } }, of({ a: 2 }), of({}), 'data.a must have been 1, but it was 2 in evt_1'],
    [
      { 'data.a': { $changed: true } },
      of({ a: 2 }),
      of({ a: 2 }),
      'data.a must change, but it was 2 in evt_1',
    ],
    [{ 'data.a': { $was: 1 } }, of({}), of({}), 'data.a must have been 1, but it was missing in evt_1'],
  ])('that excludes an event tells what was before: %j, %j → %j', (filter, before, now, reason) =>
    expect(explainMismatch(filter, now, { previous: () => before, previousId: 'evt_1' })).toBe(reason),
  );
});
