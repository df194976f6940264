import { z } from 'zod';
import { eventId, targetId } from './primitives';

/**
 * What became of an event at a target, from its newest delivery there. `not_sent`: it has no delivery there, or the
 * delivery was cancelled.
 */
const TARGET_OUTCOMES = ['failed', 'queued', 'delivered', 'not_sent'] as const;
export type TargetOutcome = (typeof TARGET_OUTCOMES)[number];

/** Where an event went, where it did not, and why. */
export const explanation = z.object({
  event_id: eventId,
  /** All outcomes in short. */
  summary: z.string(),
  /** Every target, oldest first, and then the deleted ones that had a delivery. */
  targets: z.array(
    z.object({
      target_id: targetId,
      name: z.string(),
      outcome: z.enum(TARGET_OUTCOMES),
      /** One or more sentences. */
      reason: z.string(),
    }),
  ),
});
export type Explanation = z.infer<typeof explanation>;
export type TargetExplanation = Explanation['targets'][number];
