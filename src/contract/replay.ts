import { z } from 'zod';
import { deliveryId, eventId, instant, replayId, targetId } from './primitives';

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
