import { z } from 'zod';
import { ATTEMPT_ERRORS } from './constants';
import { outage } from './outage';
import { instant, instantQuery, targetId } from './primitives';

/** Counts of one step of the series. `events` are Co-Pilot's only, without system events. */
const statsPoint = z.object({
  at: instant,
  events: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
});
export type StatsPoint = z.infer<typeof statsPoint>;

/**
 * Why a request to `/hooks/` was not stored. Answered with 503: `storage` (the database could not be written), `late`
 * (not within the time limit), `overload` (too many at once), `internal_error`. `aborted`: the sender disconnected.
 * `wrong_path`: the key is valid, but the path is not the registered one. Refused by the HTTP server:
 * `headers_too_large` (431), `malformed` (400), `request_timeout` (408), `expectation_failed` (417), `pipelined` (the
 * connection was closed); `unidentified`: one of these, of a request to an unknown address.
 */
const NOT_STORED_REASONS = [
  'storage',
  'late',
  'overload',
  'too_large',
  'aborted',
  'wrong_method',
  'wrong_path',
  'headers_too_large',
  'malformed',
  'request_timeout',
  'expectation_failed',
  'pipelined',
  'unidentified',
  'internal_error',
  'unknown_key',
] as const;
export type NotStoredReason = (typeof NOT_STORED_REASONS)[number];

/** Why a request with a valid key was not stored. */
export type LostReason = Exclude<NotStoredReason, 'unknown_key' | 'unidentified'>;

export const isLost = (reason: NotStoredReason): reason is LostReason =>
  reason !== 'unknown_key' && reason !== 'unidentified';

/** Current counters and the last hour. */
export const stats = z.object({
  /** Start of the daemon. */
  started_at: instant,
  /** `seq` of the newest event. */
  last_seq: z.number().int(),
  /**
   * Since the start of the daemon. `rejected`: without a matching signature; `not_stored`: with a valid key, but not
   * stored for one of the reasons in the list `not_stored`.
   */
  received: z.object({
    accepted: z.number().int(),
    duplicate: z.number().int(),
    rejected: z.number().int(),
    not_stored: z.number().int(),
  }),
  /**
   * Since the start of the daemon, latest first; `received.not_stored` counts all except `unknown_key` and
   * `unidentified`.
   */
  not_stored: z.array(
    z.object({ reason: z.enum(NOT_STORED_REASONS), count: z.number().int(), last_at: instant }),
  ),
  /**
   * Milliseconds from the last byte of a notification to its 200, over the last thousand; Co-Pilot allows 5 s
   * (document, 6.3). Null before the first.
   */
  ack_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
  /** The current backlog. `open` includes `in_flight`. */
  deliveries: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    dead: z.number().int(),
    oldest_open_at: instant.nullable(),
  }),
  /** Length of a step of the series. */
  step_seconds: z.number().int(),
  /** Oldest first. */
  series: z.array(statsPoint),
});
export type Stats = z.infer<typeof stats>;

const STATS_PERIODS = ['hour', 'day', 'week'] as const;
export type StatsPeriod = (typeof STATS_PERIODS)[number];

/** The last hour, day or week. */
const statsPeriodQuery = z.object({ period: z.enum(STATS_PERIODS).default('hour') });

/** A period, or the time from `since` until `until`: by default until now, and from a day before `until`. */
export const statsSeriesQuery = statsPeriodQuery.extend({
  since: instantQuery.optional(),
  until: instantQuery.optional(),
});
export type StatsSeriesQuery = z.output<typeof statsSeriesQuery>;

/**
 * `events` are Co-Pilot's only; `delivered` and `failed` count attempts, `dead` the deliveries that became dead
 * letters.
 */
const trafficCounts = z.object({
  events: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
  dead: z.number().int(),
});
export type TrafficCounts = z.infer<typeof trafficCounts>;

/** `at` is the start of the step. */
const trafficPoint = trafficCounts.extend({ at: instant });
export type TrafficPoint = z.infer<typeof trafficPoint>;

/** Counts over a period, including those of events removed since. */
export const statsSeries = z.object({
  /** Null if `since` or `until` was given. */
  period: z.enum(STATS_PERIODS).nullable(),
  /** Start of the first step. */
  since: instant,
  until: instant,
  /** Longer steps for longer periods. Counts older than a day are known by hour only. */
  step_seconds: z.number().int(),
  /**
   * One per step in which the daemon was running, oldest first; a missing step is unknown, not zero. The last one is
   * incomplete.
   */
  points: z.array(trafficPoint),
  total: trafficCounts,
  /** Those that overlap it, oldest first. */
  outages: z.array(outage),
});
export type StatsSeries = z.infer<typeof statsSeries>;

/** The last hour of each target by minute; null where the daemon was not running. */
export const targetsTraffic = z.object({
  since: instant,
  step_seconds: z.number().int(),
  data: z.array(
    z.object({
      target_id: targetId,
      delivered: z.array(z.number().int().nullable()),
      failed: z.array(z.number().int().nullable()),
      /** The latest failed attempt; null if none is known. */
      last_failure: z
        .object({
          at: instant,
          status: z.number().int().nullable(),
          error: z.enum(ATTEMPT_ERRORS).nullable(),
        })
        .nullable(),
      /** The latest successful attempt, or the beginning of its minute or hour; null if none is known. */
      last_success_at: instant.nullable(),
      /**
       * The last time, since the start of the daemon, that an attempt succeeded after at least five failures in a
       * row; null if there was none, or if as many attempts have failed since.
       */
      recovered_at: instant.nullable(),
      /** The current number of its dead letters. */
      dead_letters: z.number().int(),
    }),
  ),
});
export type TargetsTraffic = z.infer<typeof targetsTraffic>;

/** Attempts at one target over a period, including those of events removed since. */
export const targetSeries = z.object({
  period: z.enum(STATS_PERIODS).nullable(),
  since: instant,
  until: instant,
  step_seconds: z.number().int(),
  /** One per step in which the daemon was running, oldest first; a missing step is unknown, not zero. */
  points: z.array(
    trafficCounts.omit({ events: true }).extend({
      at: instant,
      /**
       * Half of the attempts took at most this long, in ms, and 95 of 100. Like `queued`, they are known for the last
       * hour, since the start of the daemon; null otherwise, and without an attempt.
       */
      p50_ms: z.number().int().nullable(),
      p95_ms: z.number().int().nullable(),
      /** Queued deliveries at the end of the step. */
      queued: z.number().int().nullable(),
    }),
  ),
});
export type TargetSeries = z.infer<typeof targetSeries>;

/** Failed attempts at one target over a period by error, including those of events removed since. */
export const targetErrors = z.object({
  /** Null if `since` or `until` was given. */
  period: z.enum(STATS_PERIODS).nullable(),
  since: instant,
  until: instant,
  /** All attempts that ended in the period, including successful ones. */
  attempts: z.number().int(),
  /** The most frequent first. */
  data: z.array(
    z.object({
      /** HTTP status or network error, as accepted by the filter `error` of deliveries. */
      error: z.string(),
      attempts: z.number().int(),
      latest_at: instant,
    }),
  ),
});
export type TargetErrors = z.infer<typeof targetErrors>;
