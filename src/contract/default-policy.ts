import type { TargetPolicy } from './target-policy';

/** Eight attempts over about 12 hours; every failure is retried, within a lifetime of five days. */
export const DEFAULT_POLICY: TargetPolicy = {
  ordering: 'none',
  on_dead: 'continue',
  timeout_ms: 10_000,
  concurrency: 16,
  rate: null,
  success: ['2xx'],
  retry: { delays_s: [5, 30, 180, 900, 2_700, 9_000, 28_800] },
  jitter: 0.2,
  max_age_s: 432_000,
  retry_on: { network: true, statuses: ['2xx', '3xx', '4xx', '5xx'] },
  retry_after_cap_s: 3_600,
  breaker: { failures: 5, first_probe_s: 5, cap_s: 300 },
  unknown_previous: 'send',
  duplicates: 'hold',
  synthetic: 'deliver',
};

/** A process at work is sent the events of each entity in order; it may be away for as long as it likes. */
export const LISTENER_POLICY: TargetPolicy = {
  ...DEFAULT_POLICY,
  ordering: 'entity',
  timeout_ms: 30_000,
  concurrency: 4,
  breaker: null,
};
