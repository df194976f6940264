import { statusMatcher } from '../../../src/relay/targets/status-matcher';

it('a list of statuses matches the statuses and classes of statuses that it contains', () => {
  const isListed = statusMatcher([204, '5xx', 429]);
  const found = [200, 204, 205, 400, 429, 499, 500, 599].filter(isListed);
  expect(found).toEqual([204, 429, 500, 599]);
});
