import { z } from 'zod';
import { actor } from './audit';
import { followingEvents } from './event';
import { filter } from './filter';
import { eventId, eventPattern, eventPosition, instant, instantQuery } from './primitives';

/** Which events a consumer reads: by all of these that are set. */
const selection = {
  /** Event types or patterns, as `events` of a target; null: all of Co-Pilot's events. */
  types: z.array(eventPattern).min(1).max(50).nullable(),
  /** `<kind>:<id>`, such as `deal:42`. */
  entity: z.string().min(1).max(200).nullable(),
  /** Conditions on the payload, as `filter` of a target. */
  payload: filter.nullable(),
  /** Text in the payload, ignoring case. */
  q: z.string().min(1).max(200).nullable(),
};

/** `oldest`, `newest`, an event id, a seq, or a time: from the first event received then. */
const consumerStart = z.union([eventPosition, instantQuery]);
export type ConsumerStart = z.infer<typeof consumerStart>;

/** A new consumer: a named position that the hub keeps. */
export const consumerCreate = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'lowercase letters, digits, _ . and -'),
  types: selection.types.default(null),
  entity: selection.entity.default(null),
  payload: selection.payload.default(null),
  q: selection.q.default(null),
  start: consumerStart.default('newest'),
});
export type ConsumerCreate = z.infer<typeof consumerCreate>;

/** Which events it reads from its position on. */
export const consumerChange = z.strictObject(selection).partial();
export type ConsumerChange = z.infer<typeof consumerChange>;

/** A consumer and where it stands. */
export const consumer = z.object({
  name: z.string(),
  ...selection,
  /** Everything up to it was committed; null before the first commit if it starts with the oldest event. */
  position: eventId.nullable(),
  /** Events that are stored behind the position, whether they match or not. */
  lag: z.number().int(),
  /** Events that were removed behind the position, unread. They must be accepted by a reset. */
  missed: z.number().int(),
  /** When the oldest event behind the position was received. */
  oldest_unread_at: instant.nullable(),
  /** When retention removes that event because of its age, as an estimate; null if it does not. */
  prune_at: instant.nullable(),
  /** Who reads it at present. */
  lease: z.object({ holder: z.string(), address: z.string(), until: instant }).nullable(),
  created_by: actor,
  created_at: instant,
  last_read_at: instant.nullable(),
  /** Whether it was not read for 30 days. */
  idle: z.boolean(),
});
export type Consumer = z.infer<typeof consumer>;

/** Reads what follows the committed position. */
export const consumerRead = z.strictObject({
  /** If there is nothing, the response waits up to this time, in seconds. */
  wait: z.number().int().min(0).max(30).default(0),
  limit: z.number().int().min(1).max(200).default(50),
  /** The payloads too. */
  include: z.literal('body').optional(),
  /** The one that an earlier read has returned; without it, this read takes one. */
  lease: z.string().max(100).optional(),
  /** How long the lease lasts after a read or commit, in seconds. */
  lease_s: z.number().int().min(10).max(600).default(60),
  /** Reads ahead: what follows this position instead. */
  after: eventPosition.optional(),
  /** Ends the lease of another reader. */
  take_over: z.boolean().default(false),
});
export type ConsumerRead = z.infer<typeof consumerRead>;

/** What follows the position, for the reader with this lease. */
export const consumerEvents = followingEvents.extend({ lease: z.string(), lease_until: instant });
export type ConsumerEvents = z.infer<typeof consumerEvents>;

/** Everything up to the position, an event id, a `next_cursor` or a seq, is done. */
export const consumerCommit = z.strictObject({
  lease: z.string().max(100),
  position: z.string().regex(/^(\d{1,12}|evt_[0-9a-z]{26})$/, 'an event id or a seq'),
});
export type ConsumerCommit = z.infer<typeof consumerCommit>;

export const consumerCommitted = z.object({ position: eventId, lease_until: instant });
export type ConsumerCommitted = z.infer<typeof consumerCommitted>;

/** The reader ends: another one may have the lease at once. */
export const consumerRelease = consumerCommit.omit({ position: true });
export type ConsumerRelease = z.infer<typeof consumerRelease>;

/** Continues from another position, and accepts what was lost. */
export const consumerReset = z.strictObject({ position: consumerStart });
export type ConsumerReset = z.infer<typeof consumerReset>;
