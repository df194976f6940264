import type { Target } from '../../../src/contract/target';
import { describeTrouble } from '../../../ui/src/labels/response-labels';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const healthy = {
  enabled: true,
  disabled: null,
  paused: null,
  breaker: null,
  health: { states: ['active'], attempts: 8, failed: 0, last_failure: null, last_delivered_at: null },
} as unknown as Target;
const failing = (changes: object): Target => {
  const last_failure = { at: '2026-05-04T11:59:30Z', sentence: 'HTTP 400.' };
  return {
    ...healthy,
    health: { ...healthy.health, states: ['failing'], failed: 8, last_failure, ...changes },
  };
};

it('says nothing against a target that receives', () => {
  expect(describeTrouble(healthy, NOW)).toBeNull();
});

it('says how a target fails, since when, and what it last answered', () => {
  expect(describeTrouble(failing({ last_delivered_at: '2026-05-04T10:00:00Z' }), NOW)).toBe(
    'Every attempt in the last hour failed (8); the last success was 2 h ago. Last failure: HTTP 400, 30 s ago.',
  );
  expect(describeTrouble(failing({ failed: 6 }), NOW)).toMatch(
    /^6 of 8 attempts .* failed; none succeeded before/,
  );
});

it('says that what is sent would wait behind a dead letter, also if the target fails', () => {
  const wait = 'Deliveries wait behind a dead letter until it is retried or discarded.';
  const blocked = { ...healthy, health: { ...healthy.health, states: ['blocked'] } } as Target;
  expect(describeTrouble(blocked, NOW)).toBe(wait);
  expect(describeTrouble(failing({ states: ['blocked', 'failing'] }), NOW)).toMatch(
    `${wait} Every attempt in the last hour failed (8)`,
  );
});

it('says that a target is paused, disabled or down', () => {
  const breaker = { opened_at: '2026-05-04T11:58:00Z', reason: 'HTTP 503.' };
  expect(describeTrouble({ ...healthy, breaker } as Target, NOW)).toContain(
    'It went down 2 min ago (HTTP 503)',
  );
  expect(describeTrouble({ ...healthy, enabled: false }, NOW)).toContain('disabled');
  expect(describeTrouble({ ...healthy, paused: {} } as Target, NOW)).toContain('paused');
});
