import { z } from 'zod';
import { filter } from './filter';
import { deliveryId, eventId, eventPattern, instant, instantQuery, replayId, targetId } from './primitives';

/** Without `target_ids` the event is sent to every target that accepts it now. */
export const eventReplay = z
  .strictObject({ target_ids: z.array(targetId).min(1).max(100).optional() })
  .default({});
export type EventReplay = z.infer<typeof eventReplay>;

/** The replay of one event. */
export const replay = z.object({
  id: replayId,
  event_id: eventId,
  created_at: instant,
  target_ids: z.array(targetId),
  delivery_ids: z.array(deliveryId),
});
export type Replay = z.infer<typeof replay>;

/** An event sent manually with another payload. A JSON value is serialized; a string is sent as is. */
export const eventResend = z.strictObject({
  body: z.unknown().refine((body) => body !== undefined, 'a JSON value or a string'),
  target_ids: z.array(targetId).min(1).max(100),
});
export type EventResend = z.infer<typeof eventResend>;

/** The deliveries that were created. */
export const resent = z.object({ event_id: eventId, delivery_ids: z.array(deliveryId) });
export type Resent = z.infer<typeof resent>;

/** Outcome of the latest delivery to a target. `open`: not finished yet. */
const ORIGINAL_OUTCOMES = ['open', 'succeeded', 'dead', 'cancelled'] as const;
export type OriginalOutcome = (typeof ORIGINAL_OUTCOMES)[number];

const filterFields = {
  /** Only these events, by `seq`. */
  seqs: z.array(z.number().int().min(1)).min(1).max(1_000).optional(),
  /** Event types or patterns, as `events` of a target; without any, and without `seqs`, all of Co-Pilot's events. */
  types: z.array(eventPattern).min(1).max(50).optional(),
  /** `<kind>:<id>`, such as `deal:42`. */
  entity: z.string().min(1).max(200).optional(),
  /** Conditions on the payload, as `filter` of a target. */
  payload: filter.optional(),
  /** Text in the payload, ignoring case. */
  q: z.string().min(1).max(200).optional(),
  /** Only events that had a live delivery to this target; with `outcomes`, any delivery. */
  target: targetId.optional(),
  /** Only events that were not sent to this target, neither live nor by a retry or a replay. */
  missed_by: targetId.optional(),
  /**
   * Outcome of the latest delivery to `target`, or to any target if none is given; evaluated when the event's turn
   * comes. With `dead`, the dead letters: what was retried with success since is not included.
   */
  outcomes: z.array(z.enum(ORIGINAL_OUTCOMES)).min(1).optional(),
  /** The last event to include, by `seq`; by default the newest one. */
  until_seq: z.number().int().min(0).optional(),
};

/** Which events to replay; `since` and `until` refer to the time of receipt. */
export const replayFilter = z.strictObject({
  ...filterFields,
  since: instantQuery.optional(),
  until: instantQuery.optional(),
});
export type ReplayFilter = z.infer<typeof replayFilter>;

/** `per_second`: events per second. `pace`: the original intervals between events, divided by this factor. */
const replayRate = z.union([
  z.literal('as_fast_as_allowed'),
  z.strictObject({ per_second: z.number().min(0.01).max(10_000) }),
  z.strictObject({ pace: z.number().min(0.01).max(100_000) }),
]);
export type ReplayRate = z.infer<typeof replayRate>;

/** Without `target_ids` each event is sent to the targets of its live deliveries that still exist and are enabled. */
export const replayCreate = z.strictObject({
  filter: replayFilter.default({}),
  /** Replays all of Co-Pilot's events, with `filter.until_seq` those until then; the filter has no other condition. */
  all: z.boolean().optional(),
  target_ids: z.array(targetId).min(1).max(100).optional(),
  rate: replayRate.default('as_fast_as_allowed'),
});
export type ReplayCreate = z.infer<typeof replayCreate>;

/** What a replay would send. */
export const replayPreview = z.object({
  events: z.number().int(),
  deliveries: z.number().int(),
  /** Counted in samples, because there are too many events. */
  estimated: z.boolean(),
  /** When the first and the last of the events were received. */
  oldest_at: instant.nullable(),
  newest_at: instant.nullable(),
  /** Pass it as `filter.until_seq` to replay exactly what was previewed. */
  until_seq: z.number().int(),
  /** The most frequent first. */
  by_type: z.array(z.object({ type: z.string(), events: z.number().int() })),
  by_target: z.array(z.object({ target_id: targetId, deliveries: z.number().int() })),
  /** Without `target_ids`: the live deliveries to disabled targets, which the replay leaves out. */
  disabled_targets: z.array(z.object({ target_id: targetId, deliveries: z.number().int() })),
  /** At the requested rate, if the targets keep up; null without a rate. */
  duration_s: z.number().nullable(),
});
export type ReplayPreview = z.infer<typeof replayPreview>;

/** `cancelling`: cancelled, but its deliveries are not all cancelled yet. */
const REPLAY_STATES = ['running', 'paused', 'cancelling', 'cancelled', 'done'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** A target that is paused or offline, or whose circuit breaker is open. */
export const blockingTarget = z.object({
  target_id: targetId,
  name: z.string(),
  why: z.enum(['paused', 'offline', 'breaker_open']),
  since: instant,
  /** In words. */
  reason: z.string(),
});

/** A replay of many events and its progress. */
export const replaySummary = z.object({
  id: replayId,
  state: z.enum(REPLAY_STATES),
  filter: z.object({ ...filterFields, since: instant.optional(), until: instant.optional() }),
  /** Set if the replay is of a single event, and that is still stored. */
  event_id: eventId.nullable(),
  /** Null: each event is sent to the targets of its live deliveries. */
  target_ids: z.array(targetId).nullable(),
  rate: replayRate,
  /** The last event to include, by `seq`. */
  until_seq: z.number().int(),
  /** All deliveries of events up to this `seq` have been created. */
  position: z.number().int(),
  /** Events whose deliveries have all been created. */
  events: z.number().int(),
  /** Events to replay. */
  total: z.number().int(),
  /** Whether `total` is an estimate. */
  estimated: z.boolean(),
  /**
   * Events that retention removed before they were replayed to every target, including those that `payload` would
   * have excluded.
   */
  removed: z.number().int(),
  /** Deliveries created so far. */
  deliveries: z.number().int(),
  /** The recent rate at the fastest targets; null if unknown. */
  events_per_second: z.number().nullable(),
  /**
   * Seconds until all deliveries to targets that are not in `waiting_for` are finished; null if unknown, or if all
   * targets are.
   */
  eta_s: z.number().nullable(),
  /** Targets that get no further deliveries of this replay for now. It continues with the others. */
  waiting_for: z.array(blockingTarget),
  created_at: instant,
  /** Null while it is running. */
  ended_at: instant.nullable(),
});
export type ReplaySummary = z.infer<typeof replaySummary>;

/** Deliveries to one target by outcome. `sent`: attempted at least once. */
export const replayTally = z.object({
  target_id: targetId,
  deliveries: z.number().int(),
  sent: z.number().int(),
  open: z.number().int(),
  succeeded: z.number().int(),
  dead: z.number().int(),
  cancelled: z.number().int(),
});
export type ReplayTally = z.infer<typeof replayTally>;

/** With a report per target, which is final once the replay has ended. */
export const replayDetail = replaySummary.extend({ report: z.array(replayTally) });
export type ReplayDetail = z.infer<typeof replayDetail>;
