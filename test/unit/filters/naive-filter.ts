import * as fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Filter = Record<string, unknown>;

/** The elements of an array and of arrays in it. */
const flat = (array: Json[]): Json[] =>
  array.flatMap((element) => (Array.isArray(element) ? flat(element) : [element]));

/** The schema's description taken literally: each condition walks the notification, without precompilation. */
export const naive = {
  at(value: Json, steps: string[]): Json[] {
    const [step, ...rest] = steps;
    if (step === undefined) return [value];
    const names = (one: Json): Json[] => {
      if (one === null || typeof one !== 'object' || Array.isArray(one)) return [];
      const entry = Object.entries(one).find(([name]) => name === step);
      return entry === undefined ? [] : naive.at(entry[1], rest);
    };
    if (!Array.isArray(value)) return names(value);
    if (!/^\d+$/.test(step)) return flat(value).flatMap(names);
    return value.filter((_, i) => i === Number(step)).flatMap((one) => naive.at(one, rest));
  },
  filter(filter: Filter, content: Json): boolean {
    return Object.entries(filter).every(([key, value]) => {
      if (key === '$and') return (value as Filter[]).every((one) => naive.filter(one, content));
      if (key === '$or') return (value as Filter[]).some((one) => naive.filter(one, content));
      if (key === '$not') return !naive.filter(value as Filter, content);
      return naive.condition(value as Json, naive.at(content, key.split('.')));
    });
  },
  condition(condition: Json, found: Json[]): boolean {
    if (condition === null || typeof condition !== 'object')
      return naive.condition({ $eq: condition }, found);
    return Object.entries(condition).every(([operator, operand]) => {
      const elements = found.flatMap((value) => (Array.isArray(value) ? flat(value) : [value]));
      switch (operator) {
        case '$eq':
          return elements.some((value) => value === operand);
        case '$ne':
          return elements.every((value) => value !== operand);
        case '$in':
          return elements.some((value) => (operand as Json[]).some((one) => one === value));
        case '$nin':
          return elements.every((value) => (operand as Json[]).every((one) => one !== value));
        case '$exists':
          return found.length > 0 === operand;
        case '$not':
          return !naive.condition(operand, found);
        case '$startsWith':
          return elements.some(
            (value) => typeof value === 'string' && value.indexOf(operand as string) === 0,
          );
        case '$contains':
          return elements.some((value) => typeof value === 'string' && value.indexOf(operand as string) >= 0);
        default:
          return elements.some((value) => naive.compare(operator, value, operand));
      }
    });
  },
  compare(operator: string, value: Json | undefined, operand: Json | undefined): boolean {
    if (typeof value !== typeof operand || value === undefined || value === null) return false;
    const [smaller, same] = [value < operand!, value === operand];
    if (operator === '$lt') return smaller;
    if (operator === '$lte') return smaller || same;
    if (operator === '$gt') return !smaller && !same;
    return !smaller;
  },
};

const NAMES = ['a', 'b', '0', '1', 'length'];
const number = fc.constantFrom(-1, 0, 1, 2, 2.5, Number.MAX_SAFE_INTEGER);
const text = fc.constantFrom('', 'a', 'ab', 'b', '1', '\u00e9');
const scalar = fc.oneof(number, text, fc.boolean(), fc.constant(null));
const { content } = fc.letrec<{ content: Json }>((tie) => ({
  content: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    fc.dictionary(fc.constantFrom(...NAMES), tie('content'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('content'), { maxLength: 3 }),
  ),
}));
const comparable = fc.oneof(number, text);
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((steps) => steps.join('.'));
const scalars = fc.array(scalar, { minLength: 1, maxLength: 3 });
const operand = {
  $eq: scalar,
  $ne: scalar,
  $in: scalars,
  $nin: scalars,
  $gt: comparable,
  $gte: comparable,
  $lt: comparable,
  $lte: comparable,
  $exists: fc.boolean(),
  $startsWith: fc.constantFrom('a', 'b', '\u00e9'),
  $contains: fc.constantFrom('a', 'b', '1'),
};
const operation = fc.oneof(
  ...Object.entries(operand).map(([operator, any]) => any.map((value): Json => ({ [operator]: value }))),
);
// The root is an object, like every notification, and most paths exist.
export const root = fc.dictionary(fc.constantFrom('a', 'b'), content, { minKeys: 1, noNullPrototype: true });
export const { filter: filters } = fc.letrec<{ condition: Json; filter: Filter }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { arbitrary: operation, weight: 4 },
    { arbitrary: scalar, weight: 1 },
    {
      arbitrary: fc.tuple(operation, operation).map(([one, other]) => Object.assign({}, one, other) as Json),
      weight: 1,
    },
    { arbitrary: fc.record({ $not: tie('condition') }), weight: 1 },
  ),
  filter: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.dictionary(path, tie('condition'), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    fc.record({ $and: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $not: tie('filter') }),
  ),
}));
