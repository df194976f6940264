import { z } from 'zod';

const DAY_S = 86_400;

/** A status, or a hundred of them: `204`, `"5xx"`. */
const statusRange = z.union([
  z.number().int().min(100).max(599),
  z.enum(['1xx', '2xx', '3xx', '4xx', '5xx']),
]);
export type StatusRange = z.infer<typeof statusRange>;

const seconds = (least: number, most: number) => z.number().min(least).max(most);

const fields = {
  /** `entity`: events of one deal, contact or task go one after the other; `strict`: all events do. */
  ordering: z.enum(['none', 'entity', 'strict']),
  /** What becomes of the events behind one that died. */
  on_dead: z.enum(['go_on', 'stop']),
  /** From the first byte of the connection to the status of the answer. */
  timeout_ms: z.number().int().min(1_000).max(60_000),
  /** Requests under way at once. */
  concurrency: z.number().int().min(1).max(64),
  rate: z
    .strictObject({ limit: z.number().int().min(1).max(100_000), per: z.enum(['second', 'minute']) })
    .nullable(),
  /** Which answers mean that the event was taken. */
  success: z.array(statusRange).min(1).max(50),
  /** The pauses between the attempts, one by one or growing by a factor up to a cap. */
  retry: z.union([
    z.strictObject({ delays_s: z.array(seconds(0.1, 30 * DAY_S)).max(50) }),
    z.strictObject({
      tries: z.number().int().min(1).max(100),
      first_s: seconds(0.1, DAY_S),
      factor: z.number().min(1).max(10),
      cap_s: seconds(1, 30 * DAY_S),
    }),
  ]),
  /** Which part of a pause is left to chance, either way. */
  jitter: z.number().min(0).max(1),
  /** A delivery is given up so long after it was made, whatever held it up: failures, a pause, an open breaker, its lane. */
  max_age_s: seconds(60, 90 * DAY_S),
  /** Which outcomes are tried again; any other is the last. `network`: there was no answer. */
  retry_on: z.strictObject({ network: z.boolean(), statuses: z.array(statusRange).max(50) }),
  /** How far a `Retry-After` may put off the next attempt. */
  retry_after_cap_s: seconds(0, 7 * DAY_S),
  /** So many failures in a row (no answer, 429, 5xx) stop the sending; probes at growing distances test recovery. */
  breaker: z
    .strictObject({
      failures: z.number().int().min(1).max(1_000),
      first_probe_s: seconds(0.1, DAY_S),
      cap_s: seconds(1, DAY_S),
    })
    .nullable(),
  /** Whether a suspected duplicate is held back or delivered as it comes. */
  duplicates: z.enum(['hold', 'deliver']),
};

/** How a target is sent to. */
export const targetPolicy = z.object(fields);
export type TargetPolicy = z.infer<typeof targetPolicy>;

/** What differs from the default; what is not named stays as it is. */
export const targetPolicyChanges = z.strictObject(fields).partial();
export type TargetPolicyChanges = z.infer<typeof targetPolicyChanges>;

/** Eight attempts over about half a day; everything but success is tried again, for five days at most. */
export const DEFAULT_POLICY: TargetPolicy = {
  ordering: 'none',
  on_dead: 'go_on',
  timeout_ms: 10_000,
  concurrency: 16,
  rate: null,
  success: ['2xx'],
  retry: { delays_s: [5, 30, 180, 900, 2_700, 9_000, 28_800] },
  jitter: 0.2,
  max_age_s: 5 * DAY_S,
  retry_on: { network: true, statuses: ['2xx', '3xx', '4xx', '5xx'] },
  retry_after_cap_s: 3_600,
  breaker: { failures: 5, first_probe_s: 5, cap_s: 300 },
  duplicates: 'hold',
};
