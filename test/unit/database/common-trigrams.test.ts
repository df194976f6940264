import {
  CommonTrigrams,
  findCommonTrigrams,
  trigramsIn,
} from '../../../src/relay/database/text-index/common-trigrams';

const BODIES = [
  '{"event":"deal.updated","data":{"id":1,"name":"Northwind"}}',
  '{"event":"deal.updated","data":{"id":27,"name":"Zürich"}}',
  '{"event":"DEAL.UPDATED","data":{"id":333,"name":"a漢b👩c"}}',
  '{"event":"deal.updated"',
  'éde',
  'de',
  '',
].map((text) => Buffer.from(text));

const letters = (text: string) => Array.from(text.toLowerCase());
const trigrams = (text: string) =>
  letters(text)
    .slice(2)
    .map((_, i) =>
      letters(text)
        .slice(i, i + 3)
        .join(''),
    );

describe('the common trigrams', () => {
  const list = findCommonTrigrams(BODIES);
  const common = new Set(trigramsIn(list));

  it('are those in at least half of the bodies, in either case', () => {
    expect([...common]).toEqual(expect.arrayContaining(['eve', 'dea', 'ted']));
    expect(common).not.toContain('nam');
    expect(common).not.toContain('nor');
  });

  it.each(BODIES.map((body) => body.toString()))('are all that is missing of %j', (text) => {
    const remaining = new CommonTrigrams(list).remove(Buffer.from(text));
    const others = trigrams(text).filter((trigram) => !common.has(trigram));
    expect(trigrams(Buffer.from(remaining).toString())).toEqual(expect.arrayContaining(others));
    expect(remaining.length).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  it('are removed where no other trigram overlaps with them', () => {
    const remaining = new CommonTrigrams(list).remove(Buffer.from('{"event":"deal.removed"'));
    expect(Buffer.from(remaining).toString()).toBe('\nl.removed');
    expect(new CommonTrigrams(list).remove(Buffer.from('{"event":"deal.updated"'))).toHaveLength(0);
  });
});
