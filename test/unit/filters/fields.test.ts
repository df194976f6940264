import { compileFilter } from '../../../src/relay/filters/compile-filter';
import { FieldCollector } from '../../../src/relay/filters/field-collector';
import { valuesAt } from '../../../src/relay/filters/filter-paths';
import { parseExactJson } from '../../../src/relay/ground/parse-body';

const fieldsOf = (json: string) => {
  const collector = new FieldCollector();
  collector.add(parseExactJson(json));
  return collector.fields();
};

describe('the fields of payloads', () => {
  it('have paths by which a filter and a column reach them', () => {
    const payload =
      '{"$ref":1,"data":{"custom.field":"gold","a\\\\b":2,"$eq":3,"constructor":4,"__proto__":5,"arr":[[{"k":6}],[[7]]],"[x] \\"y\\"":8}}';
    const content = parseExactJson(payload);
    const fields = fieldsOf(payload);
    expect(fields.map(({ path }) => path)).toEqual([
      '\\$ref',
      'data.custom\\.field',
      'data.a\\\\b',
      'data.\\$eq',
      'data.constructor',
      'data.__proto__',
      'data.arr',
      'data.arr.k',
      'data.[x] "y"',
    ]);
    for (const { path, samples } of fields) expect(compileFilter({ [path]: samples[0] })(content)).toBe(true);
    const values = valuesAt(
      fields.map(({ path }) => path),
      content,
    );
    expect(Object.keys(values)).toHaveLength(fields.length);
    expect(values).toMatchObject({
      '\\$ref': 1,
      'data.custom\\.field': 'gold',
      'data.arr.k': 6,
      'data.__proto__': 5,
    });
  });

  it('keep all digits of their numbers', () => {
    const json = '{"data":{"id":9223372036854775807,"list":[{"id":9007199254740993}]}}';
    expect(fieldsOf(json)[0]).toMatchObject({
      path: 'data.id',
      kinds: ['number'],
      samples: ['9223372036854775807'],
    });
    expect(valuesAt(['data.id', 'data.list', 'data.list.id'], parseExactJson(json))).toEqual({
      'data.id': '9223372036854775807',
      'data.list': '[{"id":9007199254740993}]',
      'data.list.id': '9007199254740993',
    });
  });

  it('are collected however deep arrays are nested', () => {
    const deep = `{"a":${'['.repeat(20_000)}{"b":1}${']'.repeat(20_000)}}`;
    expect(fieldsOf(deep).map(({ path }) => path)).toEqual(['a.b']);
    expect(compileFilter({ 'a.b': 1 })(parseExactJson(deep))).toBe(true);
    expect(valuesAt(['a'], parseExactJson(deep))).toEqual({ a: expect.stringMatching(/^\[+"…"\]+…$/) });
  });
});
