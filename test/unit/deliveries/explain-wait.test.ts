import type { DeliveryDetail } from '../../../src/contract/delivery';
import { explainDelivery, type QueueContext } from '../../../src/relay/events/explain/explain-delivery';
import { NOT_SCHEDULED } from '../../../src/relay/deliveries/queue/queue-position.query';

const NOW = Date.parse('2026-03-02T09:00:00Z');

const DUE = {
  state: 'pending',
  lane: null,
  attempts: [],
  attempt_count: 0,
  due_at: new Date(NOW).toISOString(),
} as unknown as DeliveryDetail;

const CONTEXT: QueueContext = {
  now: NOW,
  paused: null,
  offline: false,
  breaker: null,
  lane: null,
  inFlight: 4,
  concurrency: 4,
  position: NOT_SCHEDULED,
  perMinute: null,
  maxAttempts: 8,
};

const reasonOf = (delivery: Partial<DeliveryDetail>, context: Partial<QueueContext>) =>
  explainDelivery({ ...DUE, ...delivery }, [], { ...CONTEXT, ...context }).reason;

const at = (ahead: number, isMore = false) => ({ ahead, isMore, uncounted: 0 });

describe('what a queued delivery waits for', () => {
  it('says about how long what is ahead takes, where the rate is known', () => {
    const slots = 'Queued for a free slot: 4 of 4 requests in flight';
    expect(reasonOf({}, { position: at(15_600), perMinute: 13.2 })).toBe(`${slots}, about 20 h at 13/min.`);
    expect(reasonOf({}, { position: at(100_000, true), perMinute: 2.26 })).toBe(
      `${slots}, more than 737 h at 2.3/min.`,
    );
    expect(reasonOf({}, { position: at(15_600), perMinute: null })).toBe(`${slots}.`);
    expect(reasonOf({}, { position: at(0), perMinute: 13 })).toBe(`${slots}.`);
  });

  it('says it of a lane only if that is all of the target', () => {
    const lane = { ahead: 6, blockedBy: null, isMore: false };
    expect(reasonOf({ state: 'waiting', lane: '*' }, { lane, perMinute: 2 })).toBe(
      'Queued behind 6 deliveries in the lane of all events, about 3 min at 2/min.',
    );
    expect(reasonOf({ state: 'waiting', lane: 'deal:42' }, { lane, perMinute: 2 })).toBe(
      'Queued behind 6 deliveries in the lane of deal:42.',
    );
  });

  it('says that only some of what is ahead in a lane were counted', () => {
    const lane = { ahead: 1_000, blockedBy: null, isMore: true };
    expect(reasonOf({ state: 'waiting', lane: '*' }, { lane })).toBe(
      'Queued behind at least 1,000 deliveries in the lane of all events.',
    );
  });

  it('says which attempt is next, without the uncounted ones', () => {
    const retry: Partial<DeliveryDetail> = {
      state: 'retrying',
      attempt_count: 3,
      due_at: new Date(NOW + 180_000).toISOString(),
    };
    expect(reasonOf(retry, {})).toBe('Queued for the next attempt in 3 min, attempt 4 of 8.');
    expect(reasonOf(retry, { position: { ...NOT_SCHEDULED, uncounted: 2 } })).toBe(
      'Queued for the next attempt in 3 min, attempt 2 of 8, 2 uncounted.',
    );
  });
});
