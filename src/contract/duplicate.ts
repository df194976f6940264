import { z } from 'zod';
import { eventSummary } from './event';
import { pageQuery } from './page';
import { deliveryId, duplicateId, eventId, instant, targetId } from './primitives';

/** `held`: it waits for an operator. `released`: it was delivered, by hand or to targets that take duplicates. */
const DUPLICATE_STATES = ['held', 'released', 'dismissed'] as const;
export type DuplicateState = (typeof DUPLICATE_STATES)[number];

/** A notification that is the same as one stored before: its bytes are those of its first. */
export const duplicate = z.object({
  id: duplicateId,
  event_id: eventId,
  /** Which repeat of its first it is, from 1. */
  n: z.number().int(),
  received_at: instant,
  state: z.enum(DUPLICATE_STATES),
  /** Targets that take duplicates and were sent it as it came. */
  delivered_to: z.array(targetId),
  first: eventSummary,
});
export type Duplicate = z.infer<typeof duplicate>;

export const duplicateQuery = pageQuery.extend({
  /** Repeats of this event alone. */
  event: eventId.optional(),
  state: z.enum(DUPLICATE_STATES).optional(),
});
export type DuplicateQuery = z.infer<typeof duplicateQuery>;

export const duplicateRelease = z.object({ duplicate, delivery_ids: z.array(deliveryId) });
export type DuplicateRelease = z.infer<typeof duplicateRelease>;
