import * as fc from 'fast-check';
import type { PayloadField } from '../../../src/contract/payload-field';
import { compileFilter } from '../../../src/relay/filters/compile-filter';
import { FieldCollector } from '../../../src/relay/filters/field-collector';
import {
  toFilter,
  toGroup,
  type ConditionDraft,
  type GroupDraft,
} from '../../../ui/src/features/target-form/filter-builder/filter-draft';
import {
  operatorChoices,
  type BuilderOperator,
} from '../../../ui/src/features/target-form/filter-builder/builder-operators';
import { describeFilter } from '../../../ui/src/features/target-form/filter-builder/describe-filter';
import { parsePayload } from '../../../ui/src/search/payload-conditions';
import { isKnownPath, suggestPath } from '../../../ui/src/features/target-form/filter-builder/suggest-path';

const text = fc.constantFrom('a', 'b', '1', 'true', 'null', '"a"', 'a, b', ' a', '[1]', 'é');
const scalar = fc.oneof(text, fc.constantFrom(0, 1, -2.5, true, false, null));
const path = fc.constantFrom('a', 'b', 'a.b', 'c');
const condition = fc.oneof(
  fc.tuple(path, scalar).map(([at, value]) => ({ [at]: value })),
  fc
    .tuple(path, fc.constantFrom('$eq', '$ne'), scalar)
    .map(([at, name, value]) => ({ [at]: { [name]: value } })),
  fc
    .tuple(path, fc.constantFrom('$in', '$nin'), fc.array(scalar, { minLength: 1, maxLength: 3 }))
    .map(([at, name, list]) => ({ [at]: { [name]: list } })),
  fc.tuple(path, fc.boolean()).map(([at, value]) => ({ [at]: { $exists: value, $ne: 'x' } })),
);
const { filter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.record({ $or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.tuple(condition, fc.array(tie('filter'), { minLength: 1, maxLength: 2 })).map(([one, more]) => ({
      ...one,
      $or: more,
    })),
  ),
}));
const content = fc.record(
  { a: fc.oneof(scalar, fc.record({ b: scalar }), fc.array(scalar)), b: scalar, c: scalar },
  { requiredKeys: [] },
);

const is = (at: string, operator: BuilderOperator, value = ''): ConditionDraft => ({
  kind: 'condition',
  path: at,
  operator,
  value,
});
const group = (match: GroupDraft['match'], ...items: GroupDraft['items']): GroupDraft => ({
  kind: 'group',
  match,
  items,
});

describe('the filter builder', () => {
  it('shows a filter of JSON and returns one that matches the same events', () => {
    fc.assert(
      fc.property(filter, content, (one, payload) => {
        const shown = toGroup(one);
        expect(shown).not.toBeNull();
        const returned = toFilter(shown!)!;
        expect(compileFilter(returned)(payload)).toBe(compileFilter(one)(payload));
        expect(compileFilter(toFilter(toGroup(returned)!)!)(payload)).toBe(compileFilter(one)(payload));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[GroupDraft, unknown]>([
    [group('all', is('data.price', '$gte', '10000')), { 'data.price': { $gte: 10_000 } }],
    [group('all', is('a', '$eq', '"1"'), is('b', '$eq', 'x y')), { a: '1', b: 'x y' }],
    [
      group('all', is('a', '$gt', '1'), is('a', '$lt', '5')),
      { $and: [{ a: { $gt: 1 } }, { a: { $lt: 5 } }] },
    ],
    [
      group('any', is('a', 'exists'), is('b', '$in', '2, x')),
      { $or: [{ a: { $exists: true } }, { b: { $in: [2, 'x'] } }] },
    ],
    [
      group('all', is('a', '$eq', '1'), group('any', is('b', 'missing'), is('c', '$contains', 'x'))),
      { a: 1, $or: [{ b: { $exists: false } }, { c: { $contains: 'x' } }] },
    ],
    [group('all', is('', '$eq', '1'), is('a', '$eq', ' ')), null],
    [group('all', is('id', '$eq', '9223372036854775807')), { id: '9223372036854775807' }],
    [group('all', is('id', '$in', '1, 9223372036854775807')), { id: { $in: [1, '9223372036854775807'] } }],
    [group('all', is('sum', '$gt', '0.10000000000000000001')), { sum: { $gt: '0.10000000000000000001' } }],
    [group('all', is('data.a\\.b', '$eq', '1')), { 'data.a\\.b': 1 }],
  ])('writes the filter of what was chosen, without incomplete conditions (%#)', (chosen, expected) =>
    expect(toFilter(chosen)).toEqual(expected),
  );

  it.each<[ConditionDraft, unknown]>([
    [is('data.a', 'changed'), { $changed: true }],
    [is('data.a', 'unchanged'), { $changed: false }],
    [is('data.a', '$became', '142'), { $became: 142 }],
    [is('data.a', '$became $in', '142, x'), { $became: { $in: [142, 'x'] } }],
    [is('data.a', '$was', 'null'), { $was: null }],
    [is('data.a', '$was $gte', '10000'), { $was: { $gte: 10_000 } }],
  ])('writes and reads what is compared with the state before (%#)', (chosen, expected) => {
    const written = { 'data.a': expected };
    expect(toFilter(group('all', chosen))).toEqual(written);
    expect(toGroup(written)).toEqual(group('all', chosen));
    expect(() => compileFilter(written)).not.toThrow();
  });

  it('offers what compares with the state before for events only', () => {
    expect(JSON.stringify(operatorChoices('events'))).toContain('became');
    expect(JSON.stringify(operatorChoices('values'))).not.toContain('became');
  });

  it('shows the digits of a number that JavaScript would round, as they were typed', () => {
    expect(toGroup({ id: '9223372036854775807' })).toEqual(
      group('all', is('id', '$eq', '9223372036854775807')),
    );
    expect(toGroup({ id: '1' })).toEqual(group('all', is('id', '$eq', '"1"')));
    expect(parsePayload('{"id":9223372036854775807,"n":[0.1,1e3]}')).toEqual({
      id: '9223372036854775807',
      n: [0.1, 1_000],
    });
  });

  it('leaves filters that it cannot show to JSON', () => {
    for (const unsupported of [
      { $not: { a: 1 } },
      { a: { $not: { $eq: 1 } } },
      { a: { $regex: 'x' } },
      { 'data.a': { $became: { $gte: 1, $lt: 5 } } },
    ])
      expect(toGroup(unsupported)).toBeNull();
  });
});

const collected = (...payloads: unknown[]): PayloadField[] => {
  const collector = new FieldCollector();
  for (const payload of payloads) collector.add(payload);
  return collector.fields();
};

describe('the fields of stored payloads', () => {
  it('have the paths by which a filter reaches their values', () => {
    const payload = {
      event: 'x',
      data: { price: 5, tags: [{ name: 'hot' }, { name: 'new' }], 'a.b': 1, none: [] },
    };
    const fields = collected(payload, { data: { price: 'n/a' } });
    expect(fields).toEqual([
      { path: 'event', kinds: ['string'], events: 1, samples: ['x'] },
      { path: 'data.price', kinds: ['number', 'string'], events: 2, samples: [5, 'n/a'] },
      { path: 'data.tags.name', kinds: ['string'], events: 1, samples: ['hot', 'new'] },
      { path: 'data.a\\.b', kinds: ['number'], events: 1, samples: [1] },
    ]);
    for (const { path: at, samples } of fields)
      if (at !== 'data.price')
        for (const value of samples) expect(compileFilter({ [at]: value })(payload)).toBe(true);
  });

  it('are bounded in number, samples and their length', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, i]));
    expect(collected(wide)).toHaveLength(200);
    const values = Array.from({ length: 50 }, (_, i) => ({ n: i, long: 'x'.repeat(81) }));
    expect(collected(...values)).toEqual([
      { path: 'n', kinds: ['number'], events: 50, samples: [0, 1, 2, 3, 4] },
      { path: 'long', kinds: ['string'], events: 50, samples: [] },
    ]);
  });

  it('lead from an unknown path to the one that was probably meant', () => {
    const fields = collected({ event: 'x', data: { price: 1, status_id: 2, owner: { name: 'a' } } });
    expect(suggestPath('price', fields)).toBe('data.price');
    expect(suggestPath('data.pirce', fields)).toBe('data.price');
    expect(suggestPath('Status_ID', fields)).toBe('data.status_id');
    expect(suggestPath('owner.name', fields)).toBe('data.owner.name');
    expect(suggestPath('data.custom.field', collected({ data: { 'custom.field': 1 } }))).toBe(
      'data.custom\\.field',
    );
    expect(suggestPath('temperature', fields)).toBeNull();
    expect(isKnownPath('data.owner', fields)).toBe(true);
    expect(isKnownPath('data.owner.0.name', fields)).toBe(true);
    expect(isKnownPath('price', fields)).toBe(false);
  });
});

it('a filter is described in the words of the builder, unless it uses more than that has', () => {
  const won = { 'data.status_id': { $became: { $in: [142, 143] } } };
  expect(describeFilter(won)).toBe('data.status_id became one of 142, 143');
  const large = {
    $or: [{ 'data.price': { $gte: 10_000 } }, { 'data.vip': true, 'data.owner_id': { $changed: true } }],
  };
  expect(describeFilter({ 'data.id': { $exists: true }, ...large })).toBe(
    'data.id exists and (data.price at least 10000 or (data.vip is true and data.owner_id changed))',
  );
  expect(describeFilter({ $not: won })).toBeNull();
});
