import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import type { ModelPolicy } from './model-target';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const ORDERINGS = ['none', 'entity', 'entity', 'strict'] as const;
const DELAYS = [[5 * SECOND, 30 * SECOND], [10 * SECOND], [], [5 * SECOND, MINUTE, 10 * MINUTE, HOUR]];
const BREAKERS = [
  { failures: 2, firstProbe: 5 * SECOND, cap: 20 * SECOND },
  { failures: 3, firstProbe: 10 * SECOND, cap: 5 * MINUTE },
  null,
];

/** One of the policies. @param choice any natural number */
export function policyOf(choice: number): ModelPolicy {
  const pick = <Value>(values: readonly Value[], divisor: number) =>
    values[Math.floor(choice / divisor) % values.length]!;
  return {
    ordering: pick(ORDERINGS, 1),
    stops: pick([false, true], 4),
    concurrency: pick([1, 2, 4, 5], 8),
    delays: pick(DELAYS, 32),
    breaker: pick(BREAKERS, 128),
    maxAge: pick([MINUTE, HOUR, 24 * HOUR], 384),
  };
}

/** As the API takes it. */
export const toPolicy = ({ ordering, stops, concurrency, delays, breaker, maxAge }: ModelPolicy) => ({
  ordering,
  on_dead: stops ? ('stop' as const) : ('continue' as const),
  concurrency,
  timeout_ms: 60_000,
  retry: { delays_s: delays.map((delay) => delay / SECOND) },
  jitter: 0,
  max_age_s: maxAge / SECOND,
  retry_after_cap_s: 0,
  breaker: breaker && {
    failures: breaker.failures,
    first_probe_s: breaker.firstProbe / SECOND,
    cap_s: breaker.cap / SECOND,
  },
});

/** The policy of a target as it is stored: without what is the default. */
export function fromPolicy(json: string): ModelPolicy {
  const stored = { ...DEFAULT_POLICY, ...(JSON.parse(json) as Partial<ReturnType<typeof toPolicy>>) };
  const { ordering, on_dead: onDead, concurrency, retry, max_age_s: maxAge, breaker } = stored;
  return {
    ordering,
    stops: onDead === 'stop',
    concurrency,
    delays: (retry as { delays_s: number[] }).delays_s.map((delay) => delay * SECOND),
    breaker: breaker && {
      failures: breaker.failures,
      firstProbe: breaker.first_probe_s * SECOND,
      cap: breaker.cap_s * SECOND,
    },
    maxAge: maxAge * SECOND,
  };
}
