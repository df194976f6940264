import { z } from 'zod';
import { eventSummary } from './event';
import { pageQuery } from './page';
import { deliveryId, duplicateId, eventId, instant, targetId } from './primitives';

const DUPLICATE_STATES = ['held', 'released', 'dismissed'] as const;
export type DuplicateState = (typeof DUPLICATE_STATES)[number];
const duplicateState = z
  .enum(DUPLICATE_STATES)
  .describe(
    '`held`: awaits a decision of the operator. `released`: was delivered, manually or to targets that accept duplicates. `dismissed`: will not be delivered.',
  );

export const duplicate = z
  .object({
    id: duplicateId,
    event_id: eventId.describe('The stored event.'),
    n: z.number().int().describe('Its number among the duplicates of the event, from 1.'),
    received_at: instant.describe('When it arrived.'),
    state: duplicateState,
    delivered_to: z.array(targetId).describe('Targets that accept duplicates and received it automatically.'),
    first: eventSummary.describe('The stored event.'),
  })
  .describe('A notification with the same bytes as a stored event.');
export type Duplicate = z.infer<typeof duplicate>;

export const duplicateQuery = pageQuery.extend({
  event: eventId.optional().describe('Only duplicates of this event.'),
  state: duplicateState.optional(),
});
export type DuplicateQuery = z.infer<typeof duplicateQuery>;

export const duplicateRelease = z
  .object({ duplicate, delivery_ids: z.array(deliveryId).describe('The new deliveries.') })
  .describe('The released duplicate and the deliveries that were created for it.');
export type DuplicateRelease = z.infer<typeof duplicateRelease>;
