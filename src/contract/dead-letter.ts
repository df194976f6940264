import { z } from 'zod';
import { deliveryQuery } from './delivery';
import { instant, targetId } from './primitives';

/** Dead letters: what is given up and has no later delivery of the same event to the same target. */
export const deadLetterQuery = deliveryQuery.omit({ status: true });
export type DeadLetterQuery = z.infer<typeof deadLetterQuery>;

export const deathCauseQuery = deadLetterQuery.omit({ limit: true, cursor: true });
export type DeathCauseQuery = z.infer<typeof deathCauseQuery>;

/** Dead letters of one target that ended alike. */
const deathCause = z.object({
  target_id: targetId,
  target_name: z.string(),
  /** As the filter `error` takes it: how the last attempt failed, or the status that was answered. */
  error: z.string().nullable(),
  deliveries: z.number().int(),
  /** How many of them stop their lane. */
  stop_lanes: z.number().int(),
  /** When the first and the last of them were made. */
  oldest_at: instant,
  newest_at: instant,
});
export type DeathCause = z.infer<typeof deathCause>;

export const deathCauses = z.object({ data: z.array(deathCause) });
export type DeathCauses = z.infer<typeof deathCauses>;
