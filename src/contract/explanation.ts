import { z } from 'zod';
import { eventId, targetId } from './primitives';

const TARGET_OUTCOMES = ['failed', 'queued', 'delivered', 'not_sent'] as const;
export type TargetOutcome = (typeof TARGET_OUTCOMES)[number];

export const explanation = z
  .object({
    event_id: eventId,
    late: z.boolean().describe('Whether a newer version of the record was known before the event.'),
    summary: z.string().describe('All outcomes in short.'),
    targets: z
      .array(
        z.object({
          target_id: targetId,
          name: z.string().describe('The name of the target.'),
          outcome: z
            .enum(TARGET_OUTCOMES)
            .describe(
              'What became of the event there, by its newest delivery. `not_sent`: it has none, or that was cancelled.',
            ),
          reason: z.string().describe('One or more sentences.'),
        }),
      )
      .describe('Every target, oldest first, and then the deleted ones that had a delivery.'),
  })
  .describe('Where an event went, where it did not, and why.');
export type Explanation = z.infer<typeof explanation>;
export type TargetExplanation = Explanation['targets'][number];
