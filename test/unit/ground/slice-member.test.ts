import * as fc from 'fast-check';
import { sliceMember } from '../../../src/relay/ground/slice-member';

const slice = (json: string) => {
  const found = sliceMember(Buffer.from(json), 'data');
  return found && Buffer.from(found).toString();
};

describe('slicing a member of a JSON text', () => {
  it('finds what JSON.parse finds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom('data', 'a'), fc.string()), fc.jsonValue()),
        fc.constantFrom(undefined, 2, '\t'),
        (object, indent) => {
          const found = slice(JSON.stringify(object, null, indent));
          const expected = Object.hasOwn(object, 'data') ? object['data'] : null;
          expect(found === null ? null : JSON.parse(found)).toEqual(JSON.parse(JSON.stringify(expected)));
        },
      ),
    );
  });

  it('keeps the bytes as they were written', () => {
    expect(slice('{"event":"a", "data" : {"id": 9007199254740993, "x":1.0} \n}')).toBe(
      '{"id": 9007199254740993, "x":1.0}',
    );
    expect(slice(String.raw`{"x":{"data":1},"y":"\\\"data\":","d\u0061ta":[1,{"a":"]}"}],"z":[]}`)).toBe(
      '[1,{"a":"]}"}]',
    );
    expect(slice('{"data":1,"data":2}')).toBe('2');
    expect(slice('{}')).toBeNull();
  });
});
