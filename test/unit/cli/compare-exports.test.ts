import { compareExports, formatOf } from '../../../src/cli/remote/types/compare-exports';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { exportAsyncApi } from '../../../src/relay/payload-schemas/export-asyncapi';
import { exportJsonSchema } from '../../../src/relay/payload-schemas/export-json-schema';
import { exportTypeScript } from '../../../src/relay/payload-schemas/export-typescript';
import { newSchema } from '../../../src/relay/payload-schemas/schema-node';

const DEAL = {
  event: 'deal.created',
  data: { id: 1, 'odd key': 'x', tags: [{ a: 1 }], by: null, custom: { 1: 'a', 2: 'b', 3: 'c' } },
};

/** The export of 100 deals, and then one with these properties. */
function exported(write: typeof exportJsonSchema, changes: object): string {
  const examiner = new PayloadExaminer(newSchema(1, 0));
  const payloads = [
    ...Array.from({ length: 100 }, () => DEAL),
    { ...DEAL, data: { ...DEAL.data, ...changes } },
  ];
  for (const payload of payloads) examiner.examine(JSON.parse(JSON.stringify(payload)), 1, 0);
  return write(new Map([['deal.created', examiner.schema.root]]));
}

describe.each([
  ['typescript', exportTypeScript, 'number'],
  ['json_schema', exportJsonSchema, 'integer'],
  ['asyncapi', exportAsyncApi, 'integer'],
] as const)('exports as %s', (format, write, number) => {
  const before = exported(write, {});
  const changes = (part: object) => compareExports(before, exported(write, part));

  it('are recognized, and differ in nothing if they are the same', () => {
    expect(formatOf(before)).toBe(format);
    expect(changes({})).toEqual([]);
  });

  it('are compared by path', () => {
    const path = 'DealCreated.data';
    expect(changes({ note: true })).toEqual([{ path: `${path}.note`, before: null, after: 'boolean?' }]);
    const odd = format === 'typescript' ? `${path}."odd key"` : `${path}.odd key`;
    expect(changes({ 'odd key': 5 })).toEqual([{ path: odd, before: 'string', after: `${number} | string` }]);
    expect(changes({ id: undefined })).toEqual([{ path: `${path}.id`, before: number, after: `${number}?` }]);
    expect(compareExports(exported(write, { id: 'x' }), before)).toHaveLength(1);
  });

  it('tell what is in arrays, objects and maps, wherever brackets close', () => {
    for (const part of [
      { tags: [{ b: 1 }] },
      { custom: { 4: 5 } },
      { by: { name: 'x' } },
      { tags: null },
      { custom: null },
    ])
      expect(changes(part).map(({ path }) => path)[0]).toMatch(/^DealCreated\.data\.(tags|custom|by)/);
  });

  it('are not compared with anything else', () => {
    for (const text of ['', '{}', 'export interface Other { a: 1 }', '{'])
      expect(() => compareExports(text, before)).toThrow(SyntaxError);
  });
});
