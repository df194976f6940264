import * as fc from 'fast-check';
import { compareNotifications } from '../../../ui/src/payload/compare-notifications';
import { diffJson, type Change } from '../../../ui/src/payload/diff-json';
import { previewPair } from '../../../ui/src/payload/preview-pair';
import { previewJson, isSame, pathText, writeJson, type Json, type Step } from '../../../ui/src/payload/json';
import { formatJsonText } from '../../../ui/src/payload/format-json-text';
import { readPayload, selfLinkOf, type Payload } from '../../../ui/src/payload/payload';
import { parsePath } from '../../../src/relay/filters/filter-paths';
import { parseJson } from '../../../ui/src/payload/parse-json';

const read = (text: string): Json => {
  const json = parseJson(text);
  if (json === null) throw new Error(`This is not JSON: ${text}`);
  return json;
};
const payloadOf = (text: string): Payload => readPayload(new TextEncoder().encode(text));
const nestedText = (levels: number, core: string) =>
  `${'{"a":['.repeat(levels / 2)}${core}${']}'.repeat(levels / 2)}`;

/** Few names, so that two values share some; includes `null`, numbers beyond 2^53 and names like `0`. */
const values: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .constantFrom('true' as const, 'false' as const, 'null' as const)
      .map((text) => ({ kind: 'word' as const, text })),
    fc
      .oneof(fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 3n }), fc.integer({ min: 0, max: 2 }))
      .map((number) => ({ kind: 'number' as const, text: String(number) })),
    fc
      .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'null', '"\\'))
      .map((value) => ({ kind: 'string' as const, value })),
    fc.array(tie('json'), { maxLength: 5 }).map((items) => ({ kind: 'array' as const, items })),
    fc
      .array(fc.tuple(fc.constantFrom('id', '0', '', 'a.b', '__proto__'), tie('json')), { maxLength: 5 })
      .map((members) => ({ kind: 'object' as const, members: new Map(members) })),
  ),
})).json;

const previewOf = (value: string, limit = 100) => previewJson({ kind: 'string', value }, limit);
const pair = (before: string, after: string) =>
  previewPair({ kind: 'string', value: before }, { kind: 'string', value: after });
const linkOf = (self: unknown) => selfLinkOf(payloadOf(JSON.stringify({ data: { _links: { self } } })));

describe('parsing JSON', () => {
  it('parses any serialized value', () => {
    fc.assert(fc.property(values, (json) => expect(read(writeJson(json))).toEqual(json)));
  });

  it('accepts the same texts as JSON.parse, including white space', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (text, indent) => {
        const spread = JSON.stringify(JSON.parse(text), null, indent);
        expect(JSON.parse(writeJson(read(spread)))).toEqual(JSON.parse(text));
      }),
    );
    for (const text of ['', '{', '{"a":1,}', "{'a':1}", 'NaN', '[1 2]']) expect(parseJson(text)).toBeNull();
  });

  it('keeps the digits of numbers and the order of names', () => {
    const text = '{"b":9007199254740993,"1":1.0,"a":1e400,"0":-0}';
    expect(writeJson(read(text))).toBe(text);
  });

  it('parses ten thousand levels, and a string of a megabyte', () => {
    const deep = nestedText(10_000, '1');
    expect(writeJson(read(deep))).toBe(deep);
    const long = JSON.stringify('\\"x'.repeat(300_000));
    expect(writeJson(read(long))).toBe(long);
  });

  it('serializes a large value only up to the limit', () => {
    const large = read(`[${'[1,2,3],'.repeat(50_000)}0]`);
    expect(writeJson(large, 100).length).toBeLessThan(120);
  });
});

/** The changes as text. */
const describeChanges = (before: string, after: string) =>
  diffJson(read(before), read(after)).map((change) => {
    const from = change.kind === 'added' ? '' : writeJson(change.before);
    const to = change.kind === 'removed' ? '' : writeJson(change.after);
    return `${change.kind} ${pathText(change.path)} ${from} → ${to}`;
  });

describe('the difference of two payloads', () => {
  it('turns the first into the second when applied', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const result = apply(before, diffJson(before, after));
        expect(isSame(result, after)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is empty for equal content in any order of names', () => {
    fc.assert(fc.property(values, (json) => expect(diffJson(json, reordered(json))).toEqual([])));
  });

  it('names fields by their path', () => {
    expect(
      describeChanges('{"data":{"status_id":3,"tags":["a"]}}', '{"data":{"status_id":4,"tags":["a","b"]}}'),
    ).toEqual(['changed data.status_id 3 → 4', 'added data.tags.1  → "b"']);
  });

  it('distinguishes null from missing', () => {
    expect(describeChanges('{"a":null,"b":1}', '{"b":null,"c":null}')).toEqual([
      'changed b 1 → null',
      'added c  → null',
      'removed a null → ',
    ]);
  });

  it('distinguishes integers that JavaScript rounds to the same value', () => {
    expect(describeChanges('{"id":9007199254740992}', '{"id":9007199254740993}')).toEqual([
      'changed id 9007199254740992 → 9007199254740993',
    ]);
  });

  it('distinguishes a number from a string of the same digits', () => {
    expect(describeChanges('{"id":1}', '{"id":"1"}')).toEqual(['changed id 1 → "1"']);
  });

  it('finds an item removed from the front of a list', () => {
    expect(describeChanges('[1,2,3,4]', '[2,3,4]')).toEqual(['removed 0 1 → ']);
    expect(describeChanges('[{"a":1},{"a":2}]', '[{"a":1},{"a":9},{"a":2}]')).toEqual(['added 1  → {"a":9}']);
  });

  it('is relative to data, and ignores fields that differ in every notification', () => {
    const notification = (webhookId: string, timestamp: string, status: number, more = '') =>
      payloadOf(
        `{"event":"deal.updated","timestamp":"${timestamp}","webhook_id":"${webhookId}","data":{"id":42,"status_id":${status}}${more}}`,
      );
    const difference = compareNotifications(
      notification('wh_1', '2026-01-01T00:00:00Z', 3),
      notification('wh_2', '2026-01-02T00:00:00Z', 4, ',"source":"import"'),
    );
    expect(difference?.data.map(({ path }) => pathText(path))).toEqual(['status_id']);
    expect(difference?.outsideData.map(({ path }) => pathText(path))).toEqual(['source']);
    expect(compareNotifications(payloadOf('not JSON'), payloadOf('{}'))).toBeNull();
  });

  it('shows the part of two long texts where they first differ', () => {
    const long = 'a'.repeat(500);
    expect(pair(`${long}old`, `${long}new`)).toEqual([`"…${'a'.repeat(20)}old"`, `"…${'a'.repeat(20)}new"`]);
    expect(pair('old', 'new')).toEqual(['"old"', '"new"']);
    expect(pair(long, `${long}😀`)).toEqual([`"…${'a'.repeat(20)}"`, `"…${'a'.repeat(20)}😀"`]);
    expect(pair(`${long}😀`, `${long}😁`)).toEqual([`"…${'a'.repeat(20)}😀"`, `"…${'a'.repeat(20)}😁"`]);
  });

  it('compares ten thousand levels without running out of stack', () => {
    const [change, ...more] = diffJson(read(nestedText(10_000, '1')), read(nestedText(10_000, '2')));
    expect(more).toEqual([]);
    expect(change).toMatchObject({ kind: 'changed' });
    expect(change!.path).toHaveLength(64);
  });
});

describe('a path', () => {
  it('is written so that a filter reads it', () => {
    expect(pathText(['data', 'tags', 0])).toBe('data.tags.0');
    const name = fc.string({
      unit: fc.constantFrom(...Array.from('a.\\\\$["\u00e9 ')),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.constant('$eq')), { minLength: 1, maxLength: 4 }), (path) => {
        expect(parsePath(pathText(path))).toEqual(path);
      }),
    );
  });
});

describe('a payload', () => {
  it('escapes invisible characters and direction controls', () => {
    expect(previewOf('a\u202eb\u200bc"\n')).toBe(String.raw`"a\u202eb\u200bc\"\n"`);
    expect(previewOf('שלום é 😀')).toBe('"שלום é 😀"');
    expect(previewOf('👩‍🚀 a\u200db')).toBe(String.raw`"👩‍🚀 a\u200db"`);
    expect(previewOf('😀😀', 4)).toBe('"😀…');
  });

  it('links to the entity only if that is a web address', () => {
    expect(linkOf('https://copilot.example/v1/deals/42')).toBe('https://copilot.example/v1/deals/42');
    expect(linkOf({ href: 'http://127.0.0.1/v1/deals/42' })).toBe('http://127.0.0.1/v1/deals/42');
    for (const no of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      '/v1/deals/42',
      'https://',
      7,
      null,
    ])
      expect(linkOf(no)).toBeNull();
  });

  it('is indented without changing digits or escapes', () => {
    expect(formatJsonText('{"a":[1.0,{}, [] ,{"b":"\\"}{"}],"c":9007199254740993}')).toBe(
      '{\n  "a": [\n    1.0,\n    {},\n    [],\n    {\n      "b": "\\"}{"\n    }\n  ],\n  "c": 9007199254740993\n}',
    );
    fc.assert(
      fc.property(values, (json) => {
        const text = writeJson(json);
        expect(writeJson(read(formatJsonText(text)))).toBe(text);
      }),
    );
  });

  it('is indented in one pass and without much extra size, however large or deep', () => {
    const deep = formatJsonText(nestedText(10_000, '1'));
    expect(deep.length).toBeLessThan(3_000_000);
    // Copying what is done for each number would take minutes.
    const wide = `[${Array.from({ length: 300_000 }, (_, n) => n).join(',')}]`;
    expect(formatJsonText(wide).split('\n')).toHaveLength(300_002);
    expect(formatJsonText(JSON.stringify('x'.repeat(1_000_000)))).toHaveLength(1_000_002);
  });
});

/** Applies a difference as documented. */
function apply(before: Json, changes: readonly Change[]): Json {
  const [first] = changes;
  if (first === undefined) return before;
  if (first.path.length === 0 && first.kind === 'changed') return first.after;
  const nested = new Map<Step, Change[]>();
  const own: Change[] = [];
  for (const change of changes) {
    const [step, ...rest] = change.path;
    if (rest.length === 0) own.push(change);
    else nested.set(step!, [...(nested.get(step!) ?? []), { ...change, path: rest }]);
  }
  if (before.kind === 'object') {
    const members = new Map(before.members);
    for (const [step, inner] of nested) members.set(String(step), apply(members.get(String(step))!, inner));
    for (const change of own) {
      const name = String(change.path[0]);
      if (change.kind === 'removed') members.delete(name);
      else members.set(name, change.after);
    }
    return { kind: 'object', members };
  }
  if (before.kind !== 'array') throw new Error('A change within a value that is not a container.');
  const items = [...before.items];
  for (const [step, inner] of nested) items[Number(step)] = apply(items[Number(step)]!, inner);
  const changesOf = (kind: Change['kind']) => own.filter((change) => change.kind === kind);
  for (const change of changesOf('changed'))
    if (change.kind === 'changed') items[Number(change.path[0])] = change.after;
  for (const change of changesOf('removed').toReversed()) items.splice(Number(change.path[0]), 1);
  for (const change of changesOf('added'))
    if (change.kind === 'added') items.splice(Number(change.path[0]), 0, change.after);
  return { kind: 'array', items };
}

/** The same value with reversed object names. */
function reordered(json: Json): Json {
  if (json.kind === 'array') return { kind: 'array', items: json.items.map(reordered) };
  if (json.kind !== 'object') return json;
  const members = [...json.members].map(([name, member]) => [name, reordered(member)] as const);
  return { kind: 'object', members: new Map(members.toReversed()) };
}
