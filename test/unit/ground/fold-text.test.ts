import * as fc from 'fast-check';
import { foldBody, foldQuery, foldText } from '../../../src/relay/ground/fold-text';

const letters = fc.string({
  unit: fc.constantFrom(...Array.from('aZ9éÉßẞσςΣΑάİIıiжЖёÅ가ﬁ漢 ')),
  maxLength: 12,
});
const isFound = (query: string, json: string) =>
  foldQuery(query).some((text) => foldBody(Buffer.from(json)).includes(text));

describe('a folded text', () => {
  it('is the same in any case and composition', () => {
    fc.assert(
      fc.property(letters, (text) => {
        const folded = foldText(text);
        for (const form of ['NFC', 'NFD'] as const)
          for (const same of [text.toUpperCase(), text.toLowerCase(), text])
            expect(foldText(same.normalize(form))).toBe(folded);
        expect(foldText(folded)).toBe(folded);
      }),
    );
  });

  it('is the same for any white space, also beside a token', () => {
    expect(foldText('{\n  "a" : [1, 2],\t"b":\0"c  d" }')).toBe(foldText('{"a":[1,2],"b":"c d"}'));
    expect(foldText('77 ')).not.toBe(foldText('77'));
  });

  it.each([
    ['caf\u00e9 / "x"', '{"a":"caf\\u00E9 \\/ \\"x\\""}'],
    ['caf\\u00e9 \\/ \\"x\\"', '{"a":"caf\u00e9 / \\"x\\""}'],
    ['C:\\new', '{"a":"C:\\\\new"}'],
    ['C:\\\\new', '{"a":"C:\\\\new"}'],
    ['one\\ntwo', '{"a":"one\\ntwo"}'],
    ['one two', '{"a":"one\\ntwo"}'],
    ['\u{1f600}', '{"a":"\\ud83d\\ude00"}'],
  ])('is found as it is shown: %j in %j', (query, json) => expect(isFound(query, json)).toBe(true));

  it('does not take an accent or another word for the same', () => {
    expect(isFound('ecole', '{"a":"\u00e9cole"}')).toBe(false);
    expect(isFound('ab', '{"a":"a b"}')).toBe(false);
  });

  it('takes time in proportion to the text', () => {
    const spaces = ' \n'.repeat(500_000);
    expect(foldText(`a${spaces}b${spaces}:`)).toBe('A B:');
  });
});
