import { describeDrift } from '../../../src/relay/system-events/describe-drift';

it.each([
  [
    { field: 'webhook', before: 'wh_1', after: 'deleted', outcome: 'repaired' },
    'The webhook wh_1 was deleted at Co-Pilot. Switchboard registers a new one.',
  ],
  [
    { field: 'webhook', before: 'registered', after: 'deleted', outcome: 'repaired' },
    'The webhook was deleted at Co-Pilot. Switchboard registers a new one.',
  ],
  [
    { field: 'active', before: 'active', after: 'paused', outcome: 'repaired' },
    "The webhook's active flag changed at Co-Pilot from active to paused. Switchboard restored it.",
  ],
] as const)('a difference found at Co-Pilot is described: %j', (drift, sentence) => {
  expect(describeDrift(drift)).toBe(sentence);
});
