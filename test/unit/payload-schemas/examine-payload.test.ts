import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { presentNode } from '../../../src/relay/payload-schemas/present-type';
import { newSchema, readSchema, writeSchema } from '../../../src/relay/payload-schemas/schema-node';

/** What is learned from these payloads, as it is stored. */
function learn(payloads: readonly unknown[]) {
  const examiner = new PayloadExaminer(newSchema(1, 0));
  for (const [index, payload] of payloads.entries()) examiner.examine(payload, index + 1, 0);
  const text = writeSchema(examiner.schema);
  const schema = readSchema(text);
  return { text, schema, root: presentNode(schema.root) };
}

const many = <Value>(count: number, of: (i: number) => Value) =>
  Array.from({ length: count }, (_, i) => of(i));

it('knows types, shares, formats, and what is required', () => {
  const { root } = learn(
    many(200, (i) => ({
      id: i,
      at: '2026-11-20T12:00:00Z',
      price: i === 7 ? 1.5 : 2,
      ...(i > 99 && { note: null }),
      tags: ['a', i],
    })),
  );
  expect(root.properties).toMatchObject({
    id: { types: { integer: 200 }, share: 1, required: true },
    at: { types: { string: 200 }, formats: ['date-time'] },
    price: { types: { integer: 199, number: 1 } },
    note: { types: { null: 100 }, share: 0.5, required: false, first_seq: 101 },
    tags: { items: { types: { string: 200, integer: 200 } } },
  });
});

it.each([
  ['digits', (i: number) => String(i)],
  ['UUIDs', (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`],
  ['words', (i: number) => `word${i}x`],
  ['e-mail addresses', (i: number) => `user${i}@example.com`],
])('an object whose 5,000 keys are %s is a map', (_, key) => {
  const payloads = many(5_000, (i) => ({ custom: { [key(i)]: { value: i }, [key(i + 1)]: { value: 'x' } } }));
  const { root, text } = learn(payloads);
  expect(root.properties!['custom']).toMatchObject({
    map: { types: { object: 10_000 }, properties: { value: { types: { integer: 5_000, string: 5_000 } } } },
  });
  expect(root.properties!['custom']!.properties).toBeUndefined();
  expect(text.length).toBeLessThan(128 * 1024);
});

it('stays below 128 KiB, and says so, if one object has thousands of keys', () => {
  const { schema, text } = learn(many(300, () => Object.fromEntries(many(5_000, (i) => [`key${i}`, i]))));
  expect(schema.truncated).toBe(true);
  expect(text.length).toBeLessThan(128 * 1024);
});

it('stays below 128 KiB, too, if its fields have all types, formats and vocabularies', () => {
  const texts = ['1', 'a@b.no', '2026-11-20', '2026-11-20T12:00:00Z', 'https://b.no'];
  const values = [null, true, -1e300, 1e300, 7, [], {}, ...texts, '00000000-0000-4000-8000-000000000000'];
  const words = many(20, (i) => `${'long_word'.repeat(4)}_${String.fromCharCode(97 + i)}`);
  const examiner = new PayloadExaminer(newSchema(1e12, 1e13));
  for (const [index, value] of [...words, ...words, ...values].entries())
    examiner.examine(
      Object.fromEntries(many(1_000, (i) => [`\u0001key${i}`, i < 10 || index > 20 ? value : 'x_y'])),
      1e12 + index,
      1e13,
    );
  expect(examiner.schema.truncated).toBe(true);
  expect(Buffer.byteLength(writeSchema(examiner.schema))).toBeLessThan(128 * 1024);
});

it('keeps words of a vocabulary, but no names, addresses and numbers of persons', () => {
  const persons = many(12, (i) => ({
    name: `Ola Nordmann${i}`,
    email: `ola${i}@example.com`,
    login: `ola.nordmann${i}`,
    phone: `+47 22 33 44 ${10 + i}`,
    dashed: `22-33-44-${10 + i}`,
    number: 4_722_334_410 + i,
    [`kari${i}@example.com`]: 1,
  }));
  const { root, text } = learn(
    many(10_000, (i) => ({ state: i % 3 === 0 ? 'in_progress' : 'b2b', code: i % 5, data: persons[i % 12] })),
  );
  expect(root.properties).toMatchObject({
    state: { values: ['b2b', 'in_progress'] },
    code: { values: [0, 1, 2, 3, 4] },
  });
  for (const person of persons)
    for (const [key, value] of Object.entries(person))
      if (value !== 1) expect(text).not.toContain(String(value));
      else expect(text).not.toContain(key);
});

it('keys such as those of prototypes are keys like any other', () => {
  const { root } = learn([JSON.parse('{"__proto__": 1, "constructor": "x"}')]);
  expect(Object.keys(root.properties!)).toContain('constructor');
});
