import { z } from 'zod';
import { pageQuery } from './page';
import { deliveryId, eventId, instant, replayId, targetId } from './primitives';

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
const ATTEMPT_ERRORS = [
  'http_status',
  'connection_refused',
  'connection_reset',
  'timeout',
  'name_not_found',
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
  attempt_count: z.number().int(),
  last_status: z.number().int().nullable(),
  last_error: z.enum(ATTEMPT_ERRORS).nullable(),
  created_at: instant,
  due_at: instant.nullable(),
  settled_at: instant.nullable(),
});
export type Delivery = z.infer<typeof delivery>;

export const deliveryDetail = delivery.extend({ attempts: z.array(attempt) });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

export const deliveryQuery = pageQuery.extend({
  target: targetId.optional(),
  event: eventId.optional(),
  status: z.enum(DELIVERY_STATES).optional(),
});
export type DeliveryQuery = z.infer<typeof deliveryQuery>;
