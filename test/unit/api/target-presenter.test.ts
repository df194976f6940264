import type { HealthState } from '../../../src/contract/target-health';
import { TargetPresenter } from '../../../src/relay/api/target-presenter';

/** What the presenter says of a target in these states that has lately received 44 deliveries a minute. */
async function rateOf(states: HealthState[]): Promise<number | null> {
  const none = {} as never;
  const presenter = new TargetPresenter(
    { all: () => [] } as never,
    { queued: () => 57, oldestAt: () => null, isGrowing: () => false, dead: () => 0 } as never,
    { perMinute: () => 44 } as never,
    { of: () => ({ open: null }) } as never,
    { inFlight: () => 0 } as never,
    { present: () => null } as never,
    { of: () => ({ states }) } as never,
    { of: () => null } as never,
    none,
    none,
  );
  const record = {
    enabled: true,
    format: 'json',
    events: [],
    headers: [],
    filter: null,
    transform: null,
    tls: null,
    paused: null,
    disabled: null,
    previousSigningKey: null,
    routing: null,
    createdAt: 0,
    updatedAt: 0,
    policy: { retry: { delays_s: [] }, max_age_s: 1 },
  };
  const { backlog } = await presenter.present(record as never, { scopes: ['operate'], mask: null } as never);
  return backlog.per_minute;
}

it.each<HealthState>(['active', 'behind'])('tells the rate of a target that is %s', async (state) => {
  expect(await rateOf([state])).toBe(44);
});

it.each<HealthState>(['disabled', 'paused', 'offline', 'down', 'blocked', 'failing'])(
  'tells no rate of a target that is %s: it does not say when the queue will be empty',
  async (state) => {
    expect(await rateOf([state, 'behind'])).toBeNull();
  },
);
