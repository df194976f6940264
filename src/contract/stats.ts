import { z } from 'zod';
import { ATTEMPT_ERRORS } from './delivery';
import { outage } from './outage';
import { instant, targetId } from './primitives';

/** What happened within one step of the series; `events` are Co-Pilot's, without our own. */
const statsPoint = z.object({
  at: instant,
  events: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
});
export type StatsPoint = z.infer<typeof statsPoint>;

/**
 * Why something that came to `/hooks/` was not stored. `unknown_key`: the only one that was not for us. `storage`, `late` and
 * `overload` were answered 503, `aborted` nothing: the sender went away.
 */
const NOT_STORED_REASONS = [
  'storage',
  'late',
  'overload',
  'too_large',
  'aborted',
  'wrong_method',
  'wrong_path',
  'internal_error',
  'unknown_key',
] as const;
export type NotStoredReason = (typeof NOT_STORED_REASONS)[number];

export const stats = z.object({
  started_at: instant,
  last_seq: z.number().int(),
  /** Since the start of the daemon. `rejected`: no signature fitted; `refused`: not stored for another reason. */
  received: z.object({
    accepted: z.number().int(),
    duplicate: z.number().int(),
    rejected: z.number().int(),
    refused: z.number().int(),
  }),
  /** Since the start of the daemon, by reason, the latest first; all but `unknown_key` are counted in `refused`. */
  not_stored: z.array(
    z.object({ reason: z.enum(NOT_STORED_REASONS), count: z.number().int(), last_at: instant }),
  ),
  /** Time from the last byte of a notification to its 200, over the last thousand; Co-Pilot allows 5 s. */
  ack_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
  deliveries: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    dead: z.number().int(),
    oldest_open_at: instant.nullable(),
  }),
  step_seconds: z.number().int(),
  series: z.array(statsPoint),
});
export type Stats = z.infer<typeof stats>;

const STATS_SPANS = ['hour', 'day', 'week'] as const;
export type StatsSpan = (typeof STATS_SPANS)[number];

export const statsSeriesQuery = z.object({ span: z.enum(STATS_SPANS).default('hour') });

/** `events` are Co-Pilot's, without our own; `delivered` and `failed` count attempts by their outcome; `died` deliveries that were given up. */
const trafficCounts = z.object({
  events: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
  died: z.number().int(),
});
export type TrafficCounts = z.infer<typeof trafficCounts>;

const trafficPoint = trafficCounts.extend({ at: instant });
export type TrafficPoint = z.infer<typeof trafficPoint>;

/** What happened over a span, whatever was pruned since. */
export const statsSeries = z.object({
  span: z.enum(STATS_SPANS),
  /** The beginning of the first step. */
  since: instant,
  until: instant,
  step_seconds: z.number().int(),
  /** One for each step in which the hub was running, oldest first: a missing one is not zero. The last one is under way. */
  points: z.array(trafficPoint),
  total: trafficCounts,
  /** Those that reach into the span, oldest first. */
  outages: z.array(outage),
});
export type StatsSeries = z.infer<typeof statsSeries>;

/** The last hour of each target, by the minute; null where the hub was not running. */
export const targetsTraffic = z.object({
  since: instant,
  step_seconds: z.number().int(),
  data: z.array(
    z.object({
      target_id: targetId,
      delivered: z.array(z.number().int().nullable()),
      failed: z.array(z.number().int().nullable()),
      /** The newest attempt that failed since the start of the daemon. */
      last_failure: z
        .object({
          at: instant,
          status: z.number().int().nullable(),
          error: z.enum(ATTEMPT_ERRORS).nullable(),
        })
        .nullable(),
    }),
  ),
});
export type TargetsTraffic = z.infer<typeof targetsTraffic>;

/** How the attempts at one target failed over a span, whatever was pruned since. */
export const targetErrors = z.object({
  span: z.enum(STATS_SPANS),
  since: instant,
  until: instant,
  /** All that ended in the span, those that succeeded too. */
  attempts: z.number().int(),
  /** The most frequent first. */
  data: z.array(
    z.object({
      /** As the filter `error` of deliveries takes it: the status that was answered, or why there was none. */
      error: z.string(),
      attempts: z.number().int(),
      latest_at: instant,
    }),
  ),
});
export type TargetErrors = z.infer<typeof targetErrors>;
