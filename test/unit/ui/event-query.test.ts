import { toEventQuery } from '../../../ui/src/api/events';
import { eventsSearch } from '../../../ui/src/search/events-search';

const NOW = Date.parse('2026-03-02T09:30:15.250Z');

it.each([
  [{}, { origin: 'not_switchboard' }],
  [{ range: '12h' }, { origin: 'not_switchboard', since: '2026-03-01T21:30:15.250Z' }],
  [{ status: 'dead' }, { origin: 'not_switchboard', status: 'dead' }],
  [
    { payload: '{"data.price":{"$gte":75000}}' },
    { origin: 'not_switchboard', payload: '{"data.price":{"$gte":75000}}' },
  ],
  [{ type: 'relay.*' }, { type: ['relay.*'] }],
  [{ system: 'shown' }, {}],
])('the search %j of a URL becomes the query of the API', (search, query) => {
  expect(toEventQuery(eventsSearch(search), NOW)).toEqual(query);
});
