import { z } from 'zod';
import { ATTEMPT_ERRORS } from './constants';
import { outage } from './outage';
import { instant, instantQuery, targetId } from './primitives';

const statsPoint = z
  .object({
    at: instant.describe('Start of the step.'),
    events: z.number().int().describe('Events of Co-Pilot, without system events.'),
    delivered: z.number().int().describe('Successful attempts.'),
    failed: z.number().int().describe('Failed attempts.'),
  })
  .describe("Counts of one step of the series. `events` are Co-Pilot's only, without system events.");
export type StatsPoint = z.infer<typeof statsPoint>;

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
const notStoredReason = z
  .enum(NOT_STORED_REASONS)
  .describe(
    'Why a request to `/hooks/` was not stored. Answered with 503: `storage` (the database could not be written), `late` (not within the time limit), `overload` (too many at once), `internal_error`. `aborted`: the sender disconnected. `wrong_path`: the key is valid, but the path is not the registered one. Refused by the HTTP server: `headers_too_large` (431), `malformed` (400), `request_timeout` (408), `expectation_failed` (417), `pipelined` (the connection was closed); `unidentified`: one of these, of a request to an unknown address.',
  );

/** Why a request with a valid key was not stored. */
export type LostReason = Exclude<NotStoredReason, 'unknown_key' | 'unidentified'>;

export const isLost = (reason: NotStoredReason): reason is LostReason =>
  reason !== 'unknown_key' && reason !== 'unidentified';

export const stats = z
  .object({
    started_at: instant.describe('Start of the daemon.'),
    last_seq: z.number().int().describe('`seq` of the newest event.'),
    received: z
      .object({
        accepted: z.number().int().describe('Stored.'),
        duplicate: z.number().int().describe('Stored before.'),
        rejected: z.number().int().describe('Without a matching signature.'),
        not_stored: z.number().int().describe('With a valid key, but not stored; `not_stored` says why.'),
      })
      .describe(
        'Since the start of the daemon. `rejected`: without a matching signature; `not_stored`: with a valid key, but not stored for one of the reasons in the list `not_stored`.',
      ),
    not_stored: z
      .array(
        z.object({
          reason: notStoredReason,
          count: z.number().int().describe('How often.'),
          last_at: instant.describe('When last.'),
        }),
      )
      .describe(
        'Since the start of the daemon, latest first; `received.not_stored` counts all except `unknown_key` and `unidentified`.',
      ),
    ack_ms: z
      .object({
        p50: z.number().describe('Half of them took at most this long.'),
        p99: z.number().describe('99 of 100 took at most this long.'),
        max: z.number().describe('The longest.'),
      })
      .nullable()
      .describe(
        'Milliseconds from the last byte of a notification to its 200, over the last thousand; Co-Pilot allows 5 s (document, 6.3). Null before the first.',
      ),
    deliveries: z
      .object({
        open: z.number().int().describe('Queued deliveries.'),
        in_flight: z.number().int().describe('Those of which an attempt is in progress.'),
        dead: z.number().int().describe('Dead letters.'),
        oldest_open_at: instant
          .nullable()
          .describe('When the oldest queued one was created; null if there is none.'),
      })
      .describe('The current backlog. `open` includes `in_flight`.'),
    step_seconds: z.number().int().describe('Length of a step of the series.'),
    series: z.array(statsPoint).describe('Oldest first.'),
  })
  .describe('Current counters and the last hour.');
export type Stats = z.infer<typeof stats>;

const STATS_PERIODS = ['hour', 'day', 'week'] as const;
export type StatsPeriod = (typeof STATS_PERIODS)[number];

const statsPeriodQuery = z
  .object({ period: z.enum(STATS_PERIODS).default('hour').describe('The last hour, day or week.') })
  .describe('The last hour, day or week.');

export const statsSeriesQuery = statsPeriodQuery
  .extend({
    since: instantQuery.optional().describe('From this time; in place of `period`.'),
    until: instantQuery.optional().describe('Until this time; in place of `period`.'),
  })
  .describe(
    'A period, or the time from `since` until `until`: by default until now, and from a day before `until`.',
  );
export type StatsSeriesQuery = z.output<typeof statsSeriesQuery>;

const trafficCounts = z
  .object({
    events: z.number().int().describe('Events of Co-Pilot, without system events.'),
    delivered: z.number().int().describe('Successful attempts.'),
    failed: z.number().int().describe('Failed attempts.'),
    dead: z.number().int().describe('Deliveries that became dead letters.'),
  })
  .describe(
    "`events` are Co-Pilot's only; `delivered` and `failed` count attempts, `dead` the deliveries that became dead letters.",
  );
export type TrafficCounts = z.infer<typeof trafficCounts>;

const trafficPoint = trafficCounts
  .extend({ at: instant.describe('Start of the step.') })
  .describe('`at` is the start of the step.');
export type TrafficPoint = z.infer<typeof trafficPoint>;

export const statsSeries = z
  .object({
    period: z.enum(STATS_PERIODS).nullable().describe('Null if `since` or `until` was given.'),
    since: instant.describe('Start of the first step.'),
    until: instant.describe('End of the last step.'),
    step_seconds: z
      .number()
      .int()
      .describe('Longer steps for longer periods. Counts older than a day are known by hour only.'),
    points: z
      .array(trafficPoint)
      .describe(
        'One per step in which the daemon was running, oldest first; a missing step is unknown, not zero. The last one is incomplete.',
      ),
    total: trafficCounts,
    outages: z.array(outage).describe('Those that overlap it, oldest first.'),
  })
  .describe('Counts over a period, including those of events removed since.');
export type StatsSeries = z.infer<typeof statsSeries>;

export const targetsTraffic = z
  .object({
    since: instant.describe('Start of the first step.'),
    step_seconds: z.number().int().describe('Length of a step.'),
    data: z
      .array(
        z.object({
          target_id: targetId,
          delivered: z.array(z.number().int().nullable()).describe('Successful attempts by step.'),
          failed: z.array(z.number().int().nullable()).describe('Failed attempts by step.'),
          last_failure: z
            .object({
              at: instant.describe('When it ended.'),
              status: z.number().int().nullable().describe('HTTP status; null without a response.'),
              error: z.enum(ATTEMPT_ERRORS).nullable().describe('How it failed.'),
            })
            .nullable()
            .describe('The latest failed attempt; null if none is known.'),
          last_success_at: instant
            .nullable()
            .describe(
              'The latest successful attempt, or the beginning of its minute or hour; null if none is known.',
            ),
          recovered_at: instant
            .nullable()
            .describe(
              'The last time, since the start of the daemon, that an attempt succeeded after at least five failures in a row; null if there was none, or if as many attempts have failed since.',
            ),
          dead_letters: z.number().int().describe('The current number of its dead letters.'),
        }),
      )
      .describe('The targets.'),
  })
  .describe('The last hour of each target by minute; null where the daemon was not running.');
export type TargetsTraffic = z.infer<typeof targetsTraffic>;

export const targetSeries = z
  .object({
    period: z.enum(STATS_PERIODS).nullable().describe('Null if `since` or `until` was given.'),
    since: instant.describe('Start of the first step.'),
    until: instant.describe('End of the last step.'),
    step_seconds: z.number().int().describe('Length of a step.'),
    points: z
      .array(
        trafficCounts.omit({ events: true }).extend({
          at: instant.describe('Start of the step.'),
          p50_ms: z
            .number()
            .int()
            .nullable()
            .describe(
              'Half of the attempts took at most this long, in ms, and 95 of 100. Like `queued`, they are known for the last hour, since the start of the daemon; null otherwise, and without an attempt.',
            ),
          p95_ms: z
            .number()
            .int()
            .nullable()
            .describe('95 of 100 attempts took at most this long, in ms; null as `p50_ms`.'),
          queued: z.number().int().nullable().describe('Queued deliveries at the end of the step.'),
        }),
      )
      .describe(
        'One per step in which the daemon was running, oldest first; a missing step is unknown, not zero.',
      ),
  })
  .describe('Attempts at one target over a period, including those of events removed since.');
export type TargetSeries = z.infer<typeof targetSeries>;

export const targetErrors = z
  .object({
    period: z.enum(STATS_PERIODS).nullable().describe('Null if `since` or `until` was given.'),
    since: instant.describe('Start of the period.'),
    until: instant.describe('End of the period.'),
    attempts: z.number().int().describe('All attempts that ended in the period, including successful ones.'),
    data: z
      .array(
        z.object({
          error: z
            .string()
            .describe('HTTP status or network error, as accepted by the filter `error` of deliveries.'),
          attempts: z.number().int().describe('How many attempts failed so.'),
          latest_at: instant.describe('When the last one did.'),
        }),
      )
      .describe('The most frequent first.'),
  })
  .describe('Failed attempts at one target over a period by error, including those of events removed since.');
export type TargetErrors = z.infer<typeof targetErrors>;
