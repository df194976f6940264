import { cutPage } from '../../../src/relay/ground/cut-page';

const items = ['a', 'b', 'c'].map((id) => ({ id }));

it('a page has a cursor, the id of its last item, only if there are more items', () => {
  expect(cutPage(items, 2)).toEqual({ data: items.slice(0, 2), next_cursor: 'b' });
  expect(cutPage(items, 3)).toEqual({ data: items, next_cursor: null });
  expect(cutPage([], 3)).toEqual({ data: [], next_cursor: null });
});
