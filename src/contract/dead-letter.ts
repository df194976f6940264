import { z } from 'zod';
import { attempt, deliveryQuery } from './delivery';
import { deliveryId, eventId, instant, targetId } from './primitives';

export const deadLetterQuery = deliveryQuery
  .omit({ status: true })
  .describe(
    'Selects dead letters. A failed delivery counts as one only if it is the latest delivery of its event to its target: after a retry or a replay, the later delivery decides.',
  );
export type DeadLetterQuery = z.infer<typeof deadLetterQuery>;

export const deadLetterCauseQuery = deadLetterQuery
  .omit({ limit: true, cursor: true })
  .describe('Selects the dead letters that are grouped by cause. The causes are not paged.');
export type DeadLetterCauseQuery = z.infer<typeof deadLetterCauseQuery>;

const deadLetterCause = z
  .object({
    target_id: targetId,
    target_name: z.string().describe('The name of the target.'),
    error: z
      .string()
      .nullable()
      .describe('The last error or status, as accepted by the filter `error`; null if no attempt was made.'),
    deliveries: z.number().int().describe('Number of dead letters with this cause.'),
    stop_lanes: z.number().int().describe('How many of them block their lane.'),
    oldest_at: instant.describe('When the oldest and the newest of them were created.'),
    newest_at: instant.describe('When the newest was created.'),
    first_failed_at: instant.describe('When the first and the last of them failed.'),
    last_failed_at: instant.describe('When the last of them failed.'),
    by_hour: z
      .array(z.number().int())
      .describe('How many of them failed in each of the last 24 hours, oldest first.'),
    newest: z
      .object({
        delivery_id: deliveryId,
        event_id: eventId,
        attempt: attempt.nullable().describe('Its last attempt; null if none was made.'),
      })
      .describe('The one with the newest event, and its last attempt; null if none was made.'),
  })
  .describe('A cause: the dead letters of one target with the same error.');
export type DeadLetterCause = z.infer<typeof deadLetterCause>;

export const deadLetterCauses = z
  .object({ data: z.array(deadLetterCause).describe('The causes.') })
  .describe('The most frequent causes first.');
export type DeadLetterCauses = z.infer<typeof deadLetterCauses>;
