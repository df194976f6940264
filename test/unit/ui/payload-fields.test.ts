import type { PayloadNode } from '../../../src/contract/payload-type';
import { describeTypes } from '../../../ui/src/labels/payload-labels';
import { fieldsOf } from '../../../ui/src/screens/payload-type/fields-of';

const node = (types: PayloadNode['types'], parts: Partial<PayloadNode> = {}): PayloadNode => ({
  types,
  share: 1,
  required: true,
  first_seq: 1,
  last_seq: 2,
  ...parts,
});

it('the fields of a payload are listed in order, with the members of maps and of the elements of lists', () => {
  const tag = node({ object: 3 }, { properties: { 'a.b': node({ string: 3 }) } });
  const custom = node(
    { object: 2 },
    { map: node({ object: 4 }, { properties: { id: node({ integer: 4 }) } }) },
  );
  const data = node({ object: 2 }, { properties: { tags: node({ array: 2 }, { items: tag }), custom } });
  const fields = fieldsOf(node({ object: 2 }, { properties: { event: node({ string: 2 }), data } }));
  expect(fields.map(({ path, name, depth }) => [path, name, depth])).toEqual([
    ['event', 'event', 0],
    ['data', 'data', 0],
    ['data.tags', 'tags', 1],
    ['data.tags[].a\\.b', 'a.b', 2],
    ['data.custom', 'custom', 1],
    ['data.custom.*', '*', 2],
    ['data.custom.*.id', 'id', 3],
  ]);
  expect(fields.filter(({ isMember }) => !isMember).map(({ path }) => path)).toEqual(['data.custom.*']);
});

it.each([
  [node({ null: 9, integer: 1, string: 2 }), 'string | integer | null'],
  [node({ array: 2 }, { items: node({ string: 5 }) }), 'string[]'],
  [node({ array: 2 }, { items: node({ string: 5, null: 1 }) }), '(string | null)[]'],
  [node({ array: 2, null: 1 }), 'unknown[] | null'],
])('the types of a value are written as in TypeScript: %#', (value, text) => {
  expect(describeTypes(value)).toBe(text);
});
