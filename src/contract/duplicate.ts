import { z } from 'zod';
import { eventSummary } from './event';
import { pageQuery } from './page';
import { deliveryId, duplicateId, eventId, instant, targetId } from './primitives';

/**
 * `held`: awaits a decision of the operator. `released`: was delivered, manually or to targets that accept
 * duplicates. `dismissed`: will not be delivered.
 */
const DUPLICATE_STATES = ['held', 'released', 'dismissed'] as const;
export type DuplicateState = (typeof DUPLICATE_STATES)[number];

/** A notification with the same bytes as a stored event. */
export const duplicate = z.object({
  id: duplicateId,
  /** The stored event. */
  event_id: eventId,
  /** Its number among the duplicates of the event, from 1. */
  n: z.number().int(),
  received_at: instant,
  state: z.enum(DUPLICATE_STATES),
  /** Targets that accept duplicates and received it automatically. */
  delivered_to: z.array(targetId),
  /** The stored event. */
  first: eventSummary,
});
export type Duplicate = z.infer<typeof duplicate>;

export const duplicateQuery = pageQuery.extend({
  /** Only duplicates of this event. */
  event: eventId.optional(),
  state: z.enum(DUPLICATE_STATES).optional(),
});
export type DuplicateQuery = z.infer<typeof duplicateQuery>;

/** The released duplicate and the deliveries that were created for it. */
export const duplicateRelease = z.object({ duplicate, delivery_ids: z.array(deliveryId) });
export type DuplicateRelease = z.infer<typeof duplicateRelease>;
