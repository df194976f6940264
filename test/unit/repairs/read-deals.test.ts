import { DealsReading } from '../../../src/relay/repairs/reading/deals-reading';
import { readDeals, type DealsPage } from '../../../src/relay/repairs/reading/read-deals';

const LIST = '/v1/deals';

const read = (body: unknown, { path = LIST, link }: { path?: string; link?: string } = {}) =>
  readDeals({
    list: LIST,
    path,
    headers: { link },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });

const deals = (count: number, first = 1) =>
  Array.from({ length: count }, (_, i) => ({ id: first + i, name: `Deal ${first + i}` }));

const pageOf = (body: unknown, options?: Parameters<typeof read>[1]) => read(body, options) as DealsPage;

describe('a page of deals', () => {
  it.each([
    ['a bare list', deals(2), '[]'],
    ['a member', { deals: deals(2) }, 'deals[]'],
    ['a nested object', { result: { deals: deals(2), tags: [{ id: 1 }] } }, 'result.deals[]'],
    ['the larger of two lists', { pinned: deals(1), all: deals(2) }, 'all[]'],
  ])('is recognized as %s', (_, body, shape) => {
    expect(pageOf(body)).toMatchObject({ shape, deals: [{ id: '1' }, { id: '2' }], unreadable: 0 });
  });

  it('keeps the digits of numbers that would be rounded, and the version of each record', () => {
    const record =
      '{"id":9007199254740993,"updated_at":"2026-01-02T00:00:00Z","price":1.10000000000000000001}';
    expect(pageOf(`[${record},7]`)).toMatchObject({
      deals: [{ id: '9007199254740993', version: Date.UTC(2026, 0, 2), json: record }],
      unreadable: 1,
    });
  });

  it('is described by its names and types if it has no deals', () => {
    expect(read({ users: [{ id: 1 }], secret: 'hidden', total: 3 })).toEqual({
      names: 'users: list, secret: string, total: number',
    });
    expect(read('<html>')).toEqual({ names: 'no JSON' });
  });

  it.each([
    ['a cursor', { next_cursor: 'x' }, '/v1/deals?cursor=x', 'more'],
    ['the end of a cursor', { next_cursor: null }, null, 'last'],
    ['an offset', { paging: { offset: 2, limit: 2, total: 5 } }, '/v1/deals?offset=4', 'more'],
    ['the last offset', { paging: { offset: 4, limit: 2, total: 5 } }, null, 'last'],
    ['the last page', { meta: { page: 3, pages: 3 } }, null, 'last'],
    [
      'a link',
      { _links: { next: { href: 'https://copilot.example/v1/deals?page=2' } } },
      '/v1/deals?page=2',
      'more',
    ],
    ['a link to another list', { next: 'https://evil.example/v1/contacts?page=2' }, null, 'more'],
    ['nothing', {}, null, null],
  ])('says by %s how the list goes on', (_, paging, next, says) => {
    expect(pageOf({ data: deals(2), ...paging })).toMatchObject({ next, says });
  });
});

/** Reads pages until the end. @param answers by path; null: the request fails */
function readAll(answers: Record<string, unknown>): DealsReading {
  const reading = new DealsReading();
  while (reading.next !== null) {
    const body = answers[reading.next];
    if (body === undefined) throw new Error(`Nobody answers ${reading.next}.`);
    if (body === null) expect(reading.refuse()).toBe(true);
    else reading.take(pageOf(body, { path: reading.next }));
  }
  return reading;
}

describe('the reading of all pages', () => {
  it('is complete if the last page says that it is the last', () => {
    const { progress } = readAll({
      [LIST]: { data: deals(2), next_cursor: 'b' },
      [`${LIST}?cursor=b`]: { data: deals(2, 2), next_cursor: null },
    });
    expect(progress).toMatchObject({ pages: 2, records: 3, complete: true, shape: 'data[], next_cursor' });
  });

  it.each([
    ['few deals', { [LIST]: deals(9) }, 9, true],
    ['the same deals on a second page', { [LIST]: deals(12), [`${LIST}?page=2`]: deals(12) }, 12, true],
    ['a round number of deals', { [LIST]: deals(50), [`${LIST}?page=2`]: null }, 50, false],
    [
      'numbered pages up to an empty one',
      { [LIST]: deals(20), [`${LIST}?page=2`]: deals(5, 21), [`${LIST}?page=3`]: [] },
      25,
      true,
    ],
  ])('without a word about pages has %s', (_, answers, records, complete) => {
    expect(readAll(answers).progress).toMatchObject({ records, complete });
  });

  it.each([
    [
      'a page with the deals of the first',
      deals(2),
      'The list may be incomplete: a page has the deals of an earlier one.',
    ],
    [
      'an empty page before the last',
      [],
      'The list may be incomplete: an empty page says that another one follows.',
    ],
  ])('is incomplete at %s', (_, data, sentence) => {
    const { progress } = readAll({
      [LIST]: { data: deals(2), page: 1, pages: 3 },
      [`${LIST}?page=2`]: { data, page: 2, pages: 3 },
    });
    expect(progress).toMatchObject({ records: 2, complete: false, incomplete_because: sentence });
  });

  it('is incomplete if the link to the next page leads elsewhere, which is not followed', () => {
    const { progress } = readAll({ [LIST]: { data: deals(2), next: 'https://evil.example/all' } });
    expect(progress).toMatchObject({ pages: 1, complete: false });
  });
});
