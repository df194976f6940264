import { recordChanges } from '../../../src/relay/events/entities/record-changes';
import { parseExactJson } from '../../../src/relay/ground/parse-body';

const changes = (before: string | undefined, after: string | undefined) =>
  recordChanges(
    before === undefined ? undefined : parseExactJson(before),
    after === undefined ? undefined : parseExactJson(after),
  );

const deep = (value: number) => `${'{"a":'.repeat(5_000)}${value}${'}'.repeat(5_000)}`;

describe('changes of a record', () => {
  it('are the paths that differ, with what is there before and after', () => {
    expect(changes('{"a":1,"b":{"c":2,"d.e":3},"f":null}', '{"b":{"c":4,"d.e":3},"f":null,"g":{}}')).toEqual([
      { path: 'data.a', before: 1 },
      { path: 'data.b.c', before: 2, after: 4 },
      { path: 'data.g', after: {} },
    ]);
  });

  it('have lists as a whole, and an object where something else was', () => {
    expect(
      changes(
        '{"list":[1,{"a":2}],"same":[{"a":1}],"o":{"a":1}}',
        '{"list":[1,{"a":3}],"same":[{"a":1}],"o":5}',
      ),
    ).toEqual([
      { path: 'data.list', before: [1, { a: 2 }], after: [1, { a: 3 }] },
      { path: 'data.o', before: { a: 1 }, after: 5 },
    ]);
  });

  it('tell numbers apart that JavaScript would round', () => {
    const [change] = changes('{"id":9007199254740992}', '{"id":9007199254740993}');
    expect(change!.path).toBe('data.id');
    expect([String(change!.before), String(change!.after)]).toEqual(['9007199254740992', '9007199254740993']);
  });

  it('without a record are everything in the other one', () => {
    expect(changes(undefined, '{"a":1}')).toEqual([{ path: 'data.a', after: 1 }]);
    expect(changes('{"a":1}', undefined)).toEqual([{ path: 'data.a', before: 1 }]);
  });

  it('end at the depth that a path of a filter has, and stand very deep records', () => {
    expect(changes('{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"b":1}}}}}}}}}}', '{}')).toHaveLength(1);
    expect(changes(deep(1), deep(2))).toEqual([]);
  });
});
