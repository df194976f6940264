import { z } from 'zod';
import { eventGlob } from './event-glob';
import { filter } from './filter';
import { pageQuery } from './page';
import { deliveryId, eventId, instant, instantQuery, replayId, targetId } from './primitives';

/** Without `target_ids` the event goes to every target that accepts it today. */
export const eventReplay = z
  .strictObject({ target_ids: z.array(targetId).min(1).max(100).optional() })
  .default({});
export type EventReplay = z.infer<typeof eventReplay>;

export const replay = z.object({
  id: replayId,
  event_id: eventId,
  created_at: instant,
  target_ids: z.array(targetId),
  delivery_ids: z.array(deliveryId),
});
export type Replay = z.infer<typeof replay>;

/** An event sent by hand with another payload. A JSON value is written anew; a text goes out as it is. */
export const eventResend = z.strictObject({
  body: z.unknown().refine((body) => body !== undefined, 'a JSON value or a text'),
  target_ids: z.array(targetId).min(1).max(100),
});
export type EventResend = z.infer<typeof eventResend>;

export const resent = z.object({ event_id: eventId, delivery_ids: z.array(deliveryId) });
export type Resent = z.infer<typeof resent>;

/** What became of a live delivery; `open`: it is not through yet. */
const ORIGINAL_OUTCOMES = ['open', 'succeeded', 'dead', 'cancelled'] as const;
export type OriginalOutcome = (typeof ORIGINAL_OUTCOMES)[number];

const narrowing = {
  /** Globs, as a target's `events`: without any, everything of Co-Pilot's. */
  types: z.array(eventGlob).min(1).max(50).optional(),
  entity: z.string().min(1).max(200).optional(),
  /** What the payload holds, as a target's `filter`. */
  payload: filter.optional(),
  /** In the payload, as text. */
  q: z.string().min(1).max(200).optional(),
  /** Which target the event went to live. */
  target: targetId.optional(),
  /** Which target the event did not go to live. */
  missed_by: targetId.optional(),
  /** What became of it there, or at any target where none is named; as it stands when the event's turn comes. */
  outcomes: z.array(z.enum(ORIGINAL_OUTCOMES)).min(1).optional(),
  /** The last event that is part of it, by `seq`: the newest one where it is not given. */
  until_seq: z.number().int().min(0).optional(),
};

/** Which events; `since` and `until` are about when they were received. */
const replayFilter = z.strictObject({
  ...narrowing,
  since: instantQuery.optional(),
  until: instantQuery.optional(),
});
export type ReplayFilter = z.infer<typeof replayFilter>;

/** So many events a second; or the pauses between their arrivals, divided by a factor. */
const replayRate = z.union([
  z.literal('as_fast_as_allowed'),
  z.strictObject({ per_second: z.number().min(0.01).max(10_000) }),
  z.strictObject({ pace: z.number().min(0.01).max(100_000) }),
]);
export type ReplayRate = z.infer<typeof replayRate>;

/** Without `target_ids` each event goes where it went live, as far as those targets are there and enabled. */
export const replayCreate = z.strictObject({
  filter: replayFilter.default({}),
  target_ids: z.array(targetId).min(1).max(100).optional(),
  rate: replayRate.default('as_fast_as_allowed'),
});
export type ReplayCreate = z.infer<typeof replayCreate>;

export const replayPreview = z.object({
  events: z.number().int(),
  deliveries: z.number().int(),
  /** Counted in samples of what is stored, since there is too much of it. */
  estimated: z.boolean(),
  oldest_at: instant.nullable(),
  newest_at: instant.nullable(),
  /** Given back as `filter.until_seq`, it holds the replay to what was previewed. */
  until_seq: z.number().int(),
  by_type: z.array(z.object({ type: z.string(), events: z.number().int() })),
  by_target: z.array(z.object({ target_id: targetId, deliveries: z.number().int() })),
  /** At the rate asked for, should the targets keep up; null where only they set it. */
  duration_s: z.number().nullable(),
});
export type ReplayPreview = z.infer<typeof replayPreview>;

const REPLAY_STATES = ['running', 'paused', 'cancelling', 'cancelled', 'done'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** A target that is paused, or whose breaker is open, with the reason as a sentence. */
const waitingFor = z.object({
  target_id: targetId,
  name: z.string(),
  why: z.enum(['paused', 'breaker_open']),
  since: instant,
  reason: z.string(),
});

/** A replay of many events as it was planned, and how far it has come. */
export const replayPlan = z.object({
  id: replayId,
  state: z.enum(REPLAY_STATES),
  filter: z.object({ ...narrowing, since: instant.optional(), until: instant.optional() }),
  /** Where it is the replay of one event alone, and that is still kept. */
  event_id: eventId.nullable(),
  /** Null: each event goes where it went live. */
  target_ids: z.array(targetId).nullable(),
  rate: replayRate,
  until_seq: z.number().int(),
  /** What up to this `seq` is part of it has its deliveries, to every target. */
  position: z.number().int(),
  /** Events with all their deliveries made, and how many there are. */
  events: z.number().int(),
  total: z.number().int(),
  estimated: z.boolean(),
  /** Events that retention removed before their turn had come at every target; those that `payload` would have left out are among them. */
  gone: z.number().int(),
  deliveries: z.number().int(),
  /** Lately, at the targets that are ahead; null while nothing is known of it. */
  events_per_second: z.number().nullable(),
  /** Until all is through at the targets that it does not wait for; null while that is not known, or it waits for all. */
  eta_s: z.number().nullable(),
  /** Targets that get nothing for now while deliveries of it are open there. It goes on with the others. */
  waiting_for: z.array(waitingFor),
  created_at: instant,
  ended_at: instant.nullable(),
});
export type ReplayPlan = z.infer<typeof replayPlan>;

/** What became of the deliveries to one target; `sent`: attempted once at least. */
const replayTally = z.object({
  target_id: targetId,
  deliveries: z.number().int(),
  sent: z.number().int(),
  open: z.number().int(),
  succeeded: z.number().int(),
  dead: z.number().int(),
  cancelled: z.number().int(),
});
export type ReplayTally = z.infer<typeof replayTally>;

/** With the report: how it stands at each target, for good once the replay has ended. */
export const replayDetail = replayPlan.extend({ report: z.array(replayTally) });
export type ReplayDetail = z.infer<typeof replayDetail>;

export const replayQuery = pageQuery;
export type ReplayQuery = z.infer<typeof replayQuery>;
