import {
  CommonTrigrams,
  findCommonTrigrams,
  trigramsIn,
} from '../../../src/relay/database/sqlite/text-index/common-trigrams';
import { foldText } from '../../../src/relay/ground/fold-text';

/** Folded, as the index has them. */
const TEXTS = [
  '{"event":"deal.updated","data":{"id":1,"name":"Northwind"}}',
  '{"event":"deal.updated","data":{"id":27,"name":"Zürich"}}',
  '{"event":"DEAL.UPDATED","data":{"id":333,"name":"a漢b👩c"}}',
  '{"event":"deal.updated"',
  'éde',
  'de',
  '',
].map(foldText);

const letters = (text: string) => Array.from(text);
const trigrams = (text: string) =>
  letters(text)
    .slice(2)
    .map((_, i) =>
      letters(text)
        .slice(i, i + 3)
        .join(''),
    );

describe('the common trigrams', () => {
  const list = findCommonTrigrams(TEXTS);
  const common = new Set(trigramsIn(list));

  it('are those in at least half of the texts', () => {
    expect([...common]).toEqual(expect.arrayContaining(['EVE', 'DEA', 'TED']));
    expect(common).not.toContain('NAM');
    expect(common).not.toContain('NOR');
  });

  it.each(TEXTS)('are all that is missing of %j', (text) => {
    const remaining = new CommonTrigrams(list).remove(Buffer.from(text));
    const others = trigrams(text).filter((trigram) => !common.has(trigram));
    expect(trigrams(Buffer.from(remaining).toString())).toEqual(expect.arrayContaining(others));
    expect(remaining.length).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  it('are removed where no other trigram overlaps with them', () => {
    const remaining = new CommonTrigrams(list).remove(Buffer.from('{"EVENT":"DEAL.REMOVED"'));
    expect(Buffer.from(remaining).toString()).toBe('\nL.REMOVED');
    expect(new CommonTrigrams(list).remove(Buffer.from('{"EVENT":"DEAL.UPDATED"'))).toHaveLength(0);
  });
});
