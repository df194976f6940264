import type { PayloadOverrides } from '../../../src/contract/payload-type';
import { compareSchemas } from '../../../src/relay/payload-schemas/compare-schemas';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { exportJsonSchema } from '../../../src/relay/payload-schemas/export-json-schema';
import { exportTypeScript } from '../../../src/relay/payload-schemas/export-typescript';
import {
  checkOverrides,
  overrideSchema,
  overridesOf,
} from '../../../src/relay/payload-schemas/override-schema';
import { presentNode } from '../../../src/relay/payload-schemas/present-type';
import { newSchema, readSchema, writeSchema } from '../../../src/relay/payload-schemas/schema-node';

const NONE: PayloadOverrides = { maps: [], objects: [], ignore: [], enums: [] };

const payloads = Array.from({ length: 100 }, (_, i) => ({
  custom: { color: 'red', size: 1 },
  ids: { [String(i)]: true },
  secret: `text ${i}`,
  state: i % 2 === 0 ? 'open' : 'closed',
}));

/** A schema of these payloads, which goes on as overridden. */
function learn(overrides: Partial<PayloadOverrides> = {}) {
  const first = new PayloadExaminer(newSchema(1, 0));
  for (const [i, payload] of payloads.entries()) first.examine(payload, i + 1, 0);
  const schema = readSchema(writeSchema(first.schema));
  overrideSchema(schema, { ...NONE, ...overrides }, schema);
  return new PayloadExaminer(readSchema(writeSchema(schema)));
}

const propertiesOf = ({ schema }: PayloadExaminer) => presentNode(schema.root).properties!;
const typesOf = ({ schema }: PayloadExaminer) => exportTypeScript(new Map([['a', schema.root]]));
const jsonOf = ({ schema }: PayloadExaminer) => exportJsonSchema(new Map([['a', schema.root]]));

it('an object is a map because an operator says so, with what was learned of its members', () => {
  const examiner = learn({ maps: ['custom'] });
  examiner.examine({ custom: { weight: 1.5 } }, 101, 0);
  expect(propertiesOf(examiner)['custom']).toMatchObject({
    map: { types: { string: 100, integer: 100, number: 1 } },
  });
});

it('and is none, whatever its keys look like', () => {
  const examiner = learn({ objects: ['ids'] });
  for (let id = 200; id < 210; id += 1) examiner.examine({ ids: { [id]: true } }, id, 0);
  expect(Object.keys(propertiesOf(examiner)['ids']!.properties!)).toHaveLength(10);
});

it('forgets what is ignored, and learns it anew once it is not', () => {
  const examiner = learn({ ignore: ['secret'] });
  examiner.examine({ secret: 17 }, 101, 0);
  expect(Object.keys(propertiesOf(examiner))).toEqual(['custom', 'ids', 'state']);
  expect(typesOf(examiner) + jsonOf(examiner)).not.toContain('secret');
  overrideSchema(examiner.schema, NONE, examiner.schema);
  examiner.examine({ secret: 17 }, 102, 0);
  expect(propertiesOf(examiner)['secret']).toMatchObject({ types: { integer: 1 }, first_seq: 102 });
});

it('exports what is an enumeration as one, and tells of a new value', () => {
  const examiner = learn({ enums: ['state'] });
  expect(typesOf(examiner)).toContain('state: "closed" | "open";');
  expect(JSON.parse(jsonOf(examiner))).toMatchObject({
    $defs: { A: { properties: { state: { type: 'string', enum: ['closed', 'open'] } } } },
  });
  const before = readSchema(writeSchema(examiner.schema));
  examiner.examine({ ...payloads[0], state: 'lost' }, 101, 0);
  examiner.examine({ ...payloads[0], state: 'open' }, 102, 0);
  expect(compareSchemas(before, examiner.schema)).toEqual([
    {
      path: 'state',
      change: 'type_added',
      before: 'closed | open',
      after: 'closed | lost | open',
      seq: null,
    },
  ]);
});

it('the overridden schema shows what was decided, and no difference to a version overridden likewise', () => {
  const overrides = { ...NONE, maps: ['custom'], ignore: ['secret'], enums: ['state'] };
  const examiner = learn(overrides);
  expect(overridesOf(examiner.schema)).toEqual(overrides);
  expect(compareSchemas(learn(overrides).schema, examiner.schema)).toEqual([]);
});

it('refuses what is unknown, no object, no enumeration, or decided twice', () => {
  const { schema } = learn();
  const wrong = { ...NONE, maps: ['other', 'state', 'custom'], ignore: ['custom'], enums: ['secret'] };
  expect(checkOverrides(schema, wrong).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'maps.0: other is no path of this type',
    'maps.1: state is no object',
    'ignore.0: custom is in these lists twice',
    'enums.0: secret has other values than words of a vocabulary, or too many',
  ]);
});
