import * as fc from 'fast-check';
import { FILTER_WORDS } from '../../src/contract/path-limits';
import { awkwardText, awkwardValue } from './json-texts';

const OPERATORS = FILTER_WORDS.filter((word) => word !== '$and' && word !== '$or');
const STEPS = ['data', 'id', 'name', 'tags', '0', '1', 'length', '__proto__', 'constructor', '$and', ''];

const path = fc.oneof(
  fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 12 }).map((steps) => steps.join('.')),
  awkwardText,
);
const operand = fc.oneof(
  fc.constantFrom('a', 1, true, null, 'hot'),
  fc.array(fc.constantFrom('a', 1, true, null), { maxLength: 4 }),
  awkwardValue,
);
const { filter } = fc.letrec<{ condition: unknown; filter: unknown }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 10, depthSize: 'medium' },
    operand,
    fc.dictionary(fc.oneof(fc.constantFrom(...OPERATORS), awkwardText), fc.oneof(operand, tie('condition')), {
      maxKeys: 3,
    }),
  ),
  filter: fc.oneof(
    { maxDepth: 10, depthSize: 'medium' },
    fc.dictionary(path, tie('condition'), { maxKeys: 3 }),
    fc.record({ $and: fc.oneof(fc.array(tie('filter'), { maxLength: 3 }), operand) }),
    fc.record({ $or: fc.oneof(fc.array(tie('filter'), { maxLength: 3 }), operand) }),
    fc.record({ $not: fc.oneof(tie('filter'), operand) }),
  ),
}));
/** With more conditions than a filter may have. */
const wide = fc
  .tuple(fc.integer({ min: 1, max: 3_000 }), path, operand)
  .map(([count, name, value]) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}.f${i}`, { $eq: value }])),
  );
const deep = fc
  .tuple(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom('$not', '$and', 'data'))
  .map(([levels, name]) => {
    let inner: Record<string, unknown> = { 'data.id': 1 };
    for (let i = 0; i < levels; i += 1) inner = { [name]: name === '$and' ? [inner] : inner };
    return inner;
  });

/** Filters, most of which are invalid. */
export const anyFilter = fc.oneof(
  { arbitrary: filter as fc.Arbitrary<Record<string, unknown>>, weight: 12 },
  { arbitrary: wide, weight: 1 },
  { arbitrary: deep, weight: 1 },
);

/** Payloads to match, with the names that the filters' paths use. */
export const { content: filteredContent } = fc.letrec<{ content: unknown }>((tie) => ({
  content: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    operand,
    fc.dictionary(fc.constantFrom(...STEPS), tie('content'), { maxKeys: 4 }),
    fc.array(tie('content'), { maxLength: 4 }),
  ),
}));

const globPart = fc.constantFrom('*', '**', 'deal', '.', 'updated', 'a', 'aa', 'relay.', '-', '_');
/** Up to the maximum length, with many wildcards, which make a pattern expensive. */
export const eventGlobs = fc.array(
  fc.oneof(
    fc.array(globPart, { minLength: 1, maxLength: 40 }).map((parts) => parts.join('').slice(0, 100)),
    fc.constantFrom('*a'.repeat(50), `${'a*'.repeat(49)}b`, '*'.repeat(100)),
  ),
  { minLength: 1, maxLength: 50 },
);
/** Event types. A sender can make them as long as a notification may be. */
export const eventType = fc.oneof(
  fc
    .array(fc.constantFrom('deal', '.', 'updated', 'a', 'relay.'), { maxLength: 10 })
    .map((parts) => parts.join('')),
  awkwardText,
  fc.integer({ min: 1, max: 60_000 }).map((length) => 'a'.repeat(length)),
);
