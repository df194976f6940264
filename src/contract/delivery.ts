import { z } from 'zod';
import { pageQuery } from './page';
import { deliveryId, eventId, instant, instantQuery, jobId, replayId, targetId } from './primitives';

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

/** Where a delivery comes from. */
const DELIVERY_TRIGGERS = ['live', 'manual', 'replay', 'test'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** Why an attempt failed; `http_status` when the target answered, anything else when it did not. */
export const ATTEMPT_ERRORS = [
  'http_status',
  'connection_refused',
  'connection_reset',
  'timeout',
  'name_not_found',
  'name_lookup_failed',
  'tls',
  'certificate_expired',
  'certificate_unknown',
  'certificate_name',
  'answer_too_large',
  'address_denied',
  'own_intake',
  'network',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** Why a delivery ended without another attempt: its target answered 410 Gone, or its `max_age_s` was over. */
const ENDINGS = ['gone', 'expired'] as const;
export type Ending = (typeof ENDINGS)[number];

/** How the last attempt failed, or what ended the delivery without another one. */
const DELIVERY_ERRORS = [...ATTEMPT_ERRORS, ...ENDINGS] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

const attempt = z.object({
  number: z.number().int(),
  at: instant,
  duration_ms: z.number().int(),
  status: z.number().int().nullable(),
  error: z.enum(ATTEMPT_ERRORS).nullable(),
  excerpt: z.string().nullable(),
});
export type Attempt = z.infer<typeof attempt>;

export const delivery = z.object({
  id: deliveryId,
  event_id: eventId,
  event_seq: z.number().int(),
  event_type: z.string(),
  entity: z.string().nullable(),
  target_id: targetId,
  target_name: z.string(),
  state: z.enum(DELIVERY_STATES),
  trigger: z.enum(DELIVERY_TRIGGERS),
  replay_id: replayId.nullable(),
  /** What shares a lane goes out one after the other; null where order is none of this delivery's concern. */
  lane: z.string().nullable(),
  /** Another payload was sent in place of the event's. */
  edited: z.boolean(),
  /** Sent by hand beside the lanes of its target: it may overtake and be overtaken. */
  out_of_order: z.boolean(),
  /** Dead, and what is behind it in its lane waits until it is retried or discarded. */
  stops_lane: z.boolean(),
  attempt_count: z.number().int(),
  last_status: z.number().int().nullable(),
  last_error: z.enum(DELIVERY_ERRORS).nullable(),
  created_at: instant,
  due_at: instant.nullable(),
  settled_at: instant.nullable(),
  /** Why it is dead or cancelled, as a sentence. */
  note: z.string().nullable(),
});
export type Delivery = z.infer<typeof delivery>;

export const deliveryDetail = delivery.extend({ attempts: z.array(attempt) });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

const filters = {
  target: targetId.optional(),
  event: eventId.optional(),
  /** Of the event: `deal.created`, or `deal.*`. */
  type: z.string().max(200).optional(),
  /** How the last attempt failed, the status that was answered, or what ended the delivery without another attempt. */
  error: z.union([z.enum(DELIVERY_ERRORS), z.string().regex(/^[1-5]\d\d$/, 'a status')]).optional(),
  /** When the delivery was made. */
  since: instantQuery.optional(),
  until: instantQuery.optional(),
};

export const deliveryQuery = pageQuery.extend({ ...filters, status: z.enum(DELIVERY_STATES).optional() });
export type DeliveryQuery = z.infer<typeof deliveryQuery>;

/** Dead letters: those named, or all that match. A later delivery of the same event to the same target answers for one. */
const deadLetters = {
  ids: z.array(deliveryId).min(1).max(1_000).optional(),
  ...filters,
};
const notBoth = (selection: object) =>
  !('ids' in selection) || !Object.keys(filters).some((name) => name in selection);
const NOT_BOTH = 'either ids, or what is to match';

const reason = z.string().trim().min(1).max(500);

export const discard = z.strictObject({ reason });
export type Discard = z.infer<typeof discard>;

export const retryDead = z.strictObject(deadLetters).refine(notBoth, NOT_BOTH);
export type RetryDead = z.infer<typeof retryDead>;

export const discardDead = z.strictObject({ reason, ...deadLetters }).refine(notBoth, NOT_BOTH);
export type DiscardDead = z.infer<typeof discardDead>;

/** Work on many dead letters in the background. */
export const deliveryJob = z.object({
  id: jobId,
  act: z.enum(['retry', 'discard']),
  state: z.enum(['running', 'done', 'cancelled']),
  reason: z.string().nullable(),
  /** How many there were when it began. */
  total: z.number().int(),
  done: z.number().int(),
  created_at: instant,
  ended_at: instant.nullable(),
});
export type DeliveryJob = z.infer<typeof deliveryJob>;
