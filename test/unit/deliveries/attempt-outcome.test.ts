import { classifyOutcome } from '../../../src/relay/deliveries/sending/attempt-outcome';

const availability = (status: number | null, error: Parameters<typeof classifyOutcome>[0]['error']) =>
  classifyOutcome({ status, error });

it('a target is unavailable if it does not respond, or with 429 or 5xx; another error may concern one event only', () => {
  for (const status of [429, 500, 502, 503, 599])
    expect(availability(status, 'http_status')).toBe('unavailable');
  for (const status of [304, 400, 401, 404, 410, 413, 422])
    expect(availability(status, 'http_status')).toBe('available');
  for (const error of ['timeout', 'connection_refused', 'name_not_found', 'tls', 'network'] as const)
    expect(availability(null, error)).toBe('unavailable');
  expect(availability(200, 'connection_reset')).toBe('unavailable');
  expect(availability(503, null)).toBe('available');
  expect(availability(null, 'address_denied')).toBe('unknown');
  expect(availability(null, 'own_intake')).toBe('unknown');
});
