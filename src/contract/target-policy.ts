import { z } from 'zod';
import { POLICY_LIMITS } from './constants';

const statusRange = z
  .union([z.number().int().min(100).max(599), z.enum(['1xx', '2xx', '3xx', '4xx', '5xx'])])
  .describe('An HTTP status or a class of them: `204`, `"5xx"`.');
export type StatusRange = z.infer<typeof statusRange>;

const numberIn = ([min, max]: readonly [number, number]) => z.number().min(min).max(max);
const integerIn = ([min, max]: readonly [number, number]) => z.number().int().min(min).max(max);

const fields = {
  ordering: z
    .enum(['none', 'entity', 'strict'])
    .describe(
      '`entity`: events of one deal, contact or task are sent one after another; `strict`: all events are.',
    ),
  on_dead: z
    .enum(['continue', 'stop'])
    .describe('Whether a dead letter blocks the deliveries behind it in its lane.'),
  timeout_ms: integerIn(POLICY_LIMITS.timeout_ms).describe('From connecting to the status of the response.'),
  concurrency: integerIn(POLICY_LIMITS.concurrency).describe('Maximum number of simultaneous requests.'),
  rate: z
    .strictObject({
      limit: integerIn(POLICY_LIMITS.rate).describe('How many.'),
      per: z.enum(['second', 'minute']).describe('In which time.'),
    })
    .nullable()
    .describe('Maximum number of requests; null: no limit.'),
  success: z.array(statusRange).min(1).max(50).describe('Statuses that count as delivered.'),
  retry: z
    .union([
      z.strictObject({
        delays_s: z.array(numberIn(POLICY_LIMITS.delay_s)).max(50).describe('The delays, in seconds.'),
      }),
      z.strictObject({
        attempts: integerIn(POLICY_LIMITS.attempts).describe('How many attempts at most.'),
        first_s: numberIn(POLICY_LIMITS.first_s).describe('The first delay, in seconds.'),
        factor: numberIn(POLICY_LIMITS.factor).describe('By what each is multiplied.'),
        cap_s: numberIn(POLICY_LIMITS.cap_s).describe('The longest delay, in seconds.'),
      }),
    ])
    .describe('Delays between attempts: a list, or growing by a factor up to a cap.'),
  jitter: numberIn(POLICY_LIMITS.jitter).describe(
    'Maximum random deviation of a delay, as a fraction in both directions.',
  ),
  max_age_s: numberIn(POLICY_LIMITS.max_age_s).describe(
    'Lifetime of a delivery. After that it becomes a dead letter, whatever delayed it: failures, a pause, an open circuit breaker, its lane.',
  ),
  retry_on: z
    .strictObject({
      network: z.boolean().describe('Whether to retry if there was no response.'),
      statuses: z.array(statusRange).max(50).describe('Which statuses to retry.'),
    })
    .describe('Outcomes that are retried; any other ends the delivery. `network`: there was no response.'),
  retry_after_cap_s: numberIn(POLICY_LIMITS.retry_after_cap_s).describe(
    'Maximum delay that a `Retry-After` can cause.',
  ),
  breaker: z
    .strictObject({
      failures: integerIn(POLICY_LIMITS.failures).describe('How many in a row.'),
      first_probe_s: numberIn(POLICY_LIMITS.first_probe_s).describe(
        'When the first probe is made, in seconds.',
      ),
      cap_s: numberIn(POLICY_LIMITS.probe_cap_s).describe('The longest time between probes, in seconds.'),
    })
    .nullable()
    .describe(
      'Consecutive failures (no response, 429, 5xx) after which the circuit breaker opens; probes with growing delays then detect recovery. Null: no circuit breaker.',
    ),
  unknown_previous: z
    .enum(['send', 'skip'])
    .describe(
      'Whether an event is delivered if its filter compares it with the state before, and that is not known: by default what cannot be excluded is delivered.',
    ),
  duplicates: z.enum(['hold', 'deliver']).describe('Whether suspected duplicates are held or delivered.'),
  synthetic: z
    .enum(['deliver', 'skip'])
    .describe('Whether events that repairs have made are delivered or left out.'),
};

export const targetPolicy = z.object(fields).describe('How deliveries are sent to a target.');
export type TargetPolicy = z.infer<typeof targetPolicy>;

export const targetPolicyChanges = z
  .strictObject(fields)
  .partial()
  .describe('Changes of a policy; omitted fields keep their value.');
export type TargetPolicyChanges = z.infer<typeof targetPolicyChanges>;
