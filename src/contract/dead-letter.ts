import { z } from 'zod';
import { attempt, deliveryQuery } from './delivery';
import { deliveryId, eventId, instant, targetId } from './primitives';

/**
 * Selects dead letters. A failed delivery counts as one only if it is the latest delivery of its event to its target:
 * after a retry or a replay, the later delivery decides.
 */
export const deadLetterQuery = deliveryQuery.omit({ status: true });
export type DeadLetterQuery = z.infer<typeof deadLetterQuery>;

/** Selects the dead letters that are grouped by cause. The causes are not paged. */
export const deadLetterCauseQuery = deadLetterQuery.omit({ limit: true, cursor: true });
export type DeadLetterCauseQuery = z.infer<typeof deadLetterCauseQuery>;

/** A cause: the dead letters of one target with the same error. */
const deadLetterCause = z.object({
  target_id: targetId,
  target_name: z.string(),
  /** The last error or status, as accepted by the filter `error`; null if no attempt was made. */
  error: z.string().nullable(),
  /** Number of dead letters with this cause. */
  deliveries: z.number().int(),
  /** How many of them block their lane. */
  stop_lanes: z.number().int(),
  /** When the oldest and the newest of them were created. */
  oldest_at: instant,
  newest_at: instant,
  /** When the first and the last of them failed. */
  first_failed_at: instant,
  last_failed_at: instant,
  /** How many of them failed in each of the last 24 hours, oldest first. */
  by_hour: z.array(z.number().int()),
  /** The one with the newest event, and its last attempt; null if none was made. */
  newest: z.object({ delivery_id: deliveryId, event_id: eventId, attempt: attempt.nullable() }),
});
export type DeadLetterCause = z.infer<typeof deadLetterCause>;

/** The most frequent causes first. */
export const deadLetterCauses = z.object({ data: z.array(deadLetterCause) });
export type DeadLetterCauses = z.infer<typeof deadLetterCauses>;
