import { z } from 'zod';
import { ATTEMPT_ERRORS, ENDINGS } from './constants';
import { pageQuery } from './page';
import { deliveryId, eventId, instant, instantQuery, jobId, replayId, targetId } from './primitives';

/**
 * `waiting`: behind an earlier delivery of its lane. `pending`: ready for its first attempt. `in_flight`: an attempt
 * is in progress. `retrying`: waiting for its next attempt. `dead`: failed permanently, a dead letter. `cancelled`:
 * discarded by an operator, or its target was deleted.
 */
const DELIVERY_STATES = [
  'waiting',
  'pending',
  'in_flight',
  'retrying',
  'succeeded',
  'dead',
  'cancelled',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why the delivery was created: the event arrived (`live`), it was sent manually, replayed, or is a test. */
const DELIVERY_TRIGGERS = ['live', 'manual', 'replay', 'test'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export type Ending = (typeof ENDINGS)[number];

/** How the last attempt failed, or what ended the delivery without another one. */
const DELIVERY_ERRORS = [...ATTEMPT_ERRORS, ...ENDINGS] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** One request to the target. */
export const attempt = z.object({
  /** From 1. */
  number: z.number().int(),
  /** When it started. */
  at: instant,
  /** Until the status arrived or the attempt failed. */
  duration_ms: z.number().int(),
  /** HTTP status; null without a response. */
  status: z.number().int().nullable(),
  /** Null if the attempt succeeded. */
  error: z.enum(ATTEMPT_ERRORS).nullable(),
  /** The first 1,024 bytes of the response body, with secrets masked; null if there was none. */
  excerpt: z.string().nullable(),
});
export type Attempt = z.infer<typeof attempt>;

/** One event for one target, with all its attempts. */
export const delivery = z.object({
  id: deliveryId,
  event_id: eventId,
  /** The event's position in commit order. */
  event_seq: z.number().int(),
  event_type: z.string(),
  /** The deal, contact or task of the event, such as `deal:42`; null if it has none. */
  entity: z.string().nullable(),
  /** The `name` or `title` in the payload of the event. */
  entity_name: z.string().nullable(),
  target_id: targetId,
  target_name: z.string(),
  state: z.enum(DELIVERY_STATES),
  trigger: z.enum(DELIVERY_TRIGGERS),
  /** The replay that created it, if any. */
  replay_id: replayId.nullable(),
  /** Deliveries of the same lane are sent one after another; null if the target does not require an order. */
  lane: z.string().nullable(),
  /** It sends another payload than the event's. */
  edited: z.boolean(),
  /** Sent manually outside the lanes of its target, so it may be sent before or after others. */
  out_of_order: z.boolean(),
  /** It is dead and blocks its lane until it is retried or discarded. */
  blocks_lane: z.boolean(),
  /** Finished attempts. */
  attempt_count: z.number().int(),
  /** HTTP status of the last attempt; null without a response. */
  last_status: z.number().int().nullable(),
  last_error: z.enum(DELIVERY_ERRORS).nullable(),
  created_at: instant,
  /** When the next attempt is due; null if none is scheduled. */
  due_at: instant.nullable(),
  /** When it was delivered, failed permanently or was cancelled; null until then. */
  finished_at: instant.nullable(),
  /** Why it is dead or cancelled. */
  note: z.string().nullable(),
});
export type Delivery = z.infer<typeof delivery>;

/** A delivery with its attempts, oldest first. */
export const deliveryDetail = delivery.extend({ attempts: z.array(attempt) });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

const filters = {
  target: targetId.optional(),
  event: eventId.optional(),
  /** Type of the event: `deal.created`, or `deal.*`. */
  type: z.string().max(200).optional(),
  /** How the last attempt failed, its HTTP status, or what ended the delivery without another attempt. */
  error: z.union([z.enum(DELIVERY_ERRORS), z.string().regex(/^[1-5]\d\d$/, 'a status')]).optional(),
  /** When the delivery was created. */
  since: instantQuery.optional(),
  until: instantQuery.optional(),
};

export const deliveryQuery = pageQuery.extend({ ...filters, status: z.enum(DELIVERY_STATES).optional() });
export type DeliveryQuery = z.infer<typeof deliveryQuery>;

/** A selection of dead letters: either `ids`, filters, or `all`. */
const deadLetters = {
  ids: z.array(deliveryId).min(1).max(1_000).optional(),
  ...filters,
  /** All of them. */
  all: z.boolean().optional(),
  /** Only those that had failed by then, such as `last_failed_at` of a cause: no other than those that were counted. */
  failed_until: instantQuery.optional(),
};
export const DEAD_LETTER_CONDITIONS = ['ids', ...Object.keys(filters)];

const notBoth = (selection: object) =>
  !('ids' in selection) || !Object.keys(filters).some((name) => name in selection);
const NOT_BOTH = 'either ids or filters, not both';

/** Why dead letters are discarded; recorded in the audit log and on the deliveries. */
const reason = z.string().trim().min(1).max(500);

export const discard = z.strictObject({ reason });
export type Discard = z.infer<typeof discard>;

export const retryDead = z.strictObject(deadLetters).refine(notBoth, NOT_BOTH);
export type RetryDead = z.infer<typeof retryDead>;

export const discardDead = z.strictObject({ reason, ...deadLetters }).refine(notBoth, NOT_BOTH);
export type DiscardDead = z.infer<typeof discardDead>;

/** A retry or discard of many dead letters, which runs in the background. */
export const deliveryJob = z.object({
  id: jobId,
  action: z.enum(['retry', 'discard']),
  state: z.enum(['running', 'done', 'cancelled']),
  /** Of a discard; null for a retry. */
  reason: z.string().nullable(),
  /** How many dead letters matched when it started. */
  total: z.number().int(),
  /** How many of them have been processed. */
  done: z.number().int(),
  created_at: instant,
  /** Null while it is running. */
  ended_at: instant.nullable(),
});
export type DeliveryJob = z.infer<typeof deliveryJob>;
