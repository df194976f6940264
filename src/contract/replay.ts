import { z } from 'zod';
import { filter } from './filter';
import {
  deliveryId,
  entityKey,
  eventId,
  eventPattern,
  instant,
  instantQuery,
  payloadText,
  replayId,
  targetId,
} from './primitives';

export const eventReplay = z
  .strictObject({
    target_ids: z
      .array(targetId)
      .min(1)
      .max(100)
      .optional()
      .describe('Where to send it; by default to every target that accepts it now.'),
  })
  .default({})
  .describe('Without `target_ids` the event is sent to every target that accepts it now.');
export type EventReplay = z.infer<typeof eventReplay>;

export const replay = z
  .object({
    id: replayId,
    event_id: eventId,
    created_at: instant.describe('When it was started.'),
    target_ids: z.array(targetId).describe('The targets that it is sent to.'),
    delivery_ids: z.array(deliveryId).describe('The new deliveries.'),
  })
  .describe('The replay of one event.');
export type Replay = z.infer<typeof replay>;

export const eventResend = z
  .strictObject({
    body: z
      .unknown()
      .refine((body) => body !== undefined, 'a JSON value or a string')
      .describe('The payload: a JSON value, or a string that is sent as is.'),
    target_ids: z.array(targetId).min(1).max(100).describe('Where to send it.'),
  })
  .describe(
    'An event sent manually with another payload. A JSON value is serialized; a string is sent as is.',
  );
export type EventResend = z.infer<typeof eventResend>;

export const resent = z
  .object({ event_id: eventId, delivery_ids: z.array(deliveryId).describe('The new deliveries.') })
  .describe('The deliveries that were created.');
export type Resent = z.infer<typeof resent>;

/** Outcome of the latest delivery to a target. `open`: not finished yet. */
const ORIGINAL_OUTCOMES = ['open', 'succeeded', 'dead', 'cancelled'] as const;
export type OriginalOutcome = (typeof ORIGINAL_OUTCOMES)[number];

const filterFields = {
  seqs: z
    .array(z.number().int().min(1))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only these events, by `seq`.'),
  types: z
    .array(eventPattern)
    .min(1)
    .max(50)
    .optional()
    .describe(
      "Event types or patterns, as `events` of a target; without any, and without `seqs`, all of Co-Pilot's events.",
    ),
  entity: entityKey.optional(),
  payload: filter.optional().describe('Conditions on the payload, as `filter` of a target.'),
  unknown_previous: z
    .enum(['send', 'skip'])
    .optional()
    .describe(
      'Whether to include events that `payload` compares with a state before that is not known; by default `send`.',
    ),
  q: payloadText.optional(),
  target: targetId
    .optional()
    .describe('Only events that had a live delivery to this target; with `outcomes`, any delivery.'),
  missed_by: targetId
    .optional()
    .describe('Only events that were not sent to this target, neither live nor by a retry or a replay.'),
  outcomes: z
    .array(z.enum(ORIGINAL_OUTCOMES))
    .min(1)
    .optional()
    .describe(
      "Outcome of the latest delivery to `target`, or to any target if none is given; evaluated when the event's turn comes. With `dead`, the dead letters: what was retried with success since is not included.",
    ),
  until_seq: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The last event to include, by `seq`; by default the newest one.'),
};

export const replayFilter = z
  .strictObject({
    ...filterFields,
    since: instantQuery.optional().describe('Only events received at or after this time.'),
    until: instantQuery.optional().describe('Only events received before this time.'),
  })
  .describe('Which events to replay; `since` and `until` refer to the time of receipt.');
export type ReplayFilter = z.infer<typeof replayFilter>;

const replayRate = z
  .union([
    z.literal('as_fast_as_allowed'),
    z.strictObject({ per_second: z.number().min(0.01).max(10_000).describe('Events per second.') }),
    z.strictObject({
      pace: z.number().min(0.01).max(100_000).describe('By what the original intervals are divided.'),
    }),
  ])
  .describe(
    '`per_second`: events per second. `pace`: the original intervals between events, divided by this factor.',
  );
export type ReplayRate = z.infer<typeof replayRate>;

export const replayCreate = z
  .strictObject({
    filter: replayFilter.default({}).describe('Which events to replay.'),
    all: z
      .boolean()
      .optional()
      .describe(
        "Replays all of Co-Pilot's events, with `filter.until_seq` those until then; the filter has no other condition.",
      ),
    target_ids: z
      .array(targetId)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Where to send them; by default to the targets of their live deliveries that still exist and are enabled.',
      ),
    rate: replayRate.default('as_fast_as_allowed').describe('How fast to send.'),
  })
  .describe(
    'Without `target_ids` each event is sent to the targets of its live deliveries that still exist and are enabled.',
  );
export type ReplayCreate = z.infer<typeof replayCreate>;

export const replayPreview = z
  .object({
    events: z.number().int().describe('How many events it would send.'),
    deliveries: z.number().int().describe('How many deliveries it would create.'),
    estimated: z.boolean().describe('Counted in samples, because there are too many events.'),
    oldest_at: instant.nullable().describe('When the first and the last of the events were received.'),
    newest_at: instant.nullable().describe('When the last of the events was received.'),
    until_seq: z
      .number()
      .int()
      .describe('Pass it as `filter.until_seq` to replay exactly what was previewed.'),
    by_type: z
      .array(
        z.object({
          type: z.string().describe('The type.'),
          events: z.number().int().describe('How many events of it.'),
        }),
      )
      .describe('The most frequent first.'),
    by_target: z
      .array(z.object({ target_id: targetId, deliveries: z.number().int().describe('How many deliveries.') }))
      .describe('What each target would get.'),
    disabled_targets: z
      .array(z.object({ target_id: targetId, deliveries: z.number().int().describe('How many deliveries.') }))
      .describe(
        'Without `target_ids`: the live deliveries to disabled targets, which the replay leaves out.',
      ),
    duration_s: z
      .number()
      .nullable()
      .describe('At the requested rate, if the targets keep up; null without a rate.'),
  })
  .describe('What a replay would send.');
export type ReplayPreview = z.infer<typeof replayPreview>;

const REPLAY_STATES = ['running', 'paused', 'cancelling', 'cancelled', 'done'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

export const blockingTarget = z
  .object({
    target_id: targetId,
    name: z.string().describe('Its name.'),
    why: z.enum(['paused', 'offline', 'breaker_open']).describe('What holds it up.'),
    since: instant.describe('Since when.'),
    reason: z.string().describe('In words.'),
  })
  .describe('A target that is paused or offline, or whose circuit breaker is open.');

export const replaySummary = z
  .object({
    id: replayId,
    state: z
      .enum(REPLAY_STATES)
      .describe('How far it is. `cancelling`: cancelled, but its deliveries are not all cancelled yet.'),
    filter: z
      .object({
        ...filterFields,
        since: instant.optional().describe('Only events received at or after this time.'),
        until: instant.optional().describe('Only events received before this time.'),
      })
      .describe('Which events it replays.'),
    event_id: eventId
      .nullable()
      .describe('Set if the replay is of a single event, and that is still stored.'),
    target_ids: z
      .array(targetId)
      .nullable()
      .describe('Null: each event is sent to the targets of its live deliveries.'),
    rate: replayRate.describe('How fast it sends.'),
    until_seq: z.number().int().describe('The last event to include, by `seq`.'),
    position: z.number().int().describe('All deliveries of events up to this `seq` have been created.'),
    events: z.number().int().describe('Events whose deliveries have all been created.'),
    total: z.number().int().describe('Events to replay.'),
    estimated: z.boolean().describe('Whether `total` is an estimate.'),
    removed: z
      .number()
      .int()
      .describe(
        'Events that retention removed, or an operator erased, before they were replayed to every target, including those that `payload` would have excluded.',
      ),
    deliveries: z.number().int().describe('Deliveries created so far.'),
    events_per_second: z
      .number()
      .nullable()
      .describe('The recent rate at the fastest targets; null if unknown.'),
    eta_s: z
      .number()
      .nullable()
      .describe(
        'Seconds until all deliveries to targets that are not in `waiting_for` are finished; null if unknown, or if all targets are.',
      ),
    waiting_for: z
      .array(blockingTarget)
      .describe(
        'Targets that get no further deliveries of this replay for now. It continues with the others.',
      ),
    created_at: instant.describe('When it was started.'),
    ended_at: instant.nullable().describe('Null while it is running.'),
  })
  .describe('A replay of many events and its progress.');
export type ReplaySummary = z.infer<typeof replaySummary>;

export const replayTally = z
  .object({
    target_id: targetId,
    deliveries: z.number().int().describe('All of them.'),
    sent: z.number().int().describe('Attempted at least once.'),
    open: z.number().int().describe('Not finished yet.'),
    succeeded: z.number().int().describe('Delivered.'),
    dead: z.number().int().describe('Failed for good.'),
    cancelled: z.number().int().describe('Cancelled.'),
  })
  .describe('Deliveries to one target by outcome. `sent`: attempted at least once.');
export type ReplayTally = z.infer<typeof replayTally>;

export const replayDetail = replaySummary
  .extend({ report: z.array(replayTally).describe('What became of its deliveries, by target.') })
  .describe('With a report per target, which is final once the replay has ended.');
export type ReplayDetail = z.infer<typeof replayDetail>;
