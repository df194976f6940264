import { z } from 'zod';
import { POLICY_LIMITS } from './constants';

/** An HTTP status or a class of them: `204`, `"5xx"`. */
const statusRange = z.union([
  z.number().int().min(100).max(599),
  z.enum(['1xx', '2xx', '3xx', '4xx', '5xx']),
]);
export type StatusRange = z.infer<typeof statusRange>;

const numberIn = ([min, max]: readonly [number, number]) => z.number().min(min).max(max);
const integerIn = ([min, max]: readonly [number, number]) => z.number().int().min(min).max(max);

const fields = {
  /** `entity`: events of one deal, contact or task are sent one after another; `strict`: all events are. */
  ordering: z.enum(['none', 'entity', 'strict']),
  /** Whether a dead letter blocks the deliveries behind it in its lane. */
  on_dead: z.enum(['continue', 'stop']),
  /** From connecting to the status of the response. */
  timeout_ms: integerIn(POLICY_LIMITS.timeout_ms),
  /** Maximum number of simultaneous requests. */
  concurrency: integerIn(POLICY_LIMITS.concurrency),
  /** Maximum number of requests; null: no limit. */
  rate: z
    .strictObject({ limit: integerIn(POLICY_LIMITS.rate), per: z.enum(['second', 'minute']) })
    .nullable(),
  /** Statuses that count as delivered. */
  success: z.array(statusRange).min(1).max(50),
  /** Delays between attempts: a list, or growing by a factor up to a cap. */
  retry: z.union([
    z.strictObject({ delays_s: z.array(numberIn(POLICY_LIMITS.delay_s)).max(50) }),
    z.strictObject({
      attempts: integerIn(POLICY_LIMITS.attempts),
      first_s: numberIn(POLICY_LIMITS.first_s),
      factor: numberIn(POLICY_LIMITS.factor),
      cap_s: numberIn(POLICY_LIMITS.cap_s),
    }),
  ]),
  /** Maximum random deviation of a delay, as a fraction in both directions. */
  jitter: numberIn(POLICY_LIMITS.jitter),
  /**
   * Lifetime of a delivery. After that it becomes a dead letter, whatever delayed it: failures, a pause, an open
   * circuit breaker, its lane.
   */
  max_age_s: numberIn(POLICY_LIMITS.max_age_s),
  /** Outcomes that are retried; any other ends the delivery. `network`: there was no response. */
  retry_on: z.strictObject({ network: z.boolean(), statuses: z.array(statusRange).max(50) }),
  /** Maximum delay that a `Retry-After` can cause. */
  retry_after_cap_s: numberIn(POLICY_LIMITS.retry_after_cap_s),
  /**
   * Consecutive failures (no response, 429, 5xx) after which the circuit breaker opens; probes with growing delays
   * then detect recovery. Null: no circuit breaker.
   */
  breaker: z
    .strictObject({
      failures: integerIn(POLICY_LIMITS.failures),
      first_probe_s: numberIn(POLICY_LIMITS.first_probe_s),
      cap_s: numberIn(POLICY_LIMITS.probe_cap_s),
    })
    .nullable(),
  /** Whether suspected duplicates are held or delivered. */
  duplicates: z.enum(['hold', 'deliver']),
};

/** How deliveries are sent to a target. */
export const targetPolicy = z.object(fields);
export type TargetPolicy = z.infer<typeof targetPolicy>;

/** Changes of a policy; omitted fields keep their value. */
export const targetPolicyChanges = z.strictObject(fields).partial();
export type TargetPolicyChanges = z.infer<typeof targetPolicyChanges>;
