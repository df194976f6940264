import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { CLOSED } from '../../../src/relay/deliveries/sending/breaker';
import { BreakerStore } from '../../../src/relay/deliveries/sending/breaker.store';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { FixedClock } from '../../support/clock';
import { QUEUE_TOOLS, TARGET } from '../../support/queue-tools';

it('a target without a circuit breaker has all its slots at once, also during a recovery', () => {
  const clock = new FixedClock();
  const listeners: ((target: TargetRecord) => void)[] = [];
  const targets = {
    onChange: (listener: (typeof listeners)[0]) => listeners.push(listener),
    byNumber: () => TARGET,
  };
  const tools = {
    source: {},
    journal: { change: async () => undefined },
    clock,
    bounds: QUEUE_TOOLS.bounds,
    states: { publish: () => undefined },
    targets,
    ownership: { delivers: () => true },
    log: { warn: () => undefined, info: () => undefined },
  };
  const parts = Object.values(tools) as unknown as ConstructorParameters<typeof BreakerStore>;
  const breakers = new BreakerStore(...parts);
  const attempt = { at: 0, latest: 0, isProbe: false, retryAfterMs: 0, reason: 'HTTP 503.' };
  for (let failures = 0; failures < DEFAULT_POLICY.breaker!.failures; failures += 1)
    breakers.observe(TARGET, { ...attempt, availability: 'unavailable' });
  breakers.observe(TARGET, { ...attempt, availability: 'available', isProbe: true });
  expect(breakers.of(TARGET.number)).toMatchObject({ open: null, ramp: 1 });

  listeners[0]!({ ...TARGET, policy: { ...DEFAULT_POLICY, breaker: null } });
  expect(breakers.of(TARGET.number)).toBe(CLOSED);
});
