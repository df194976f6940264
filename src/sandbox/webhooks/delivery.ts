import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';

const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('response'), status: z.number() }),
  z.object({ kind: z.literal('timeout') }),
  z.object({ kind: z.literal('unreachable'), code: z.string() }),
]);

/**
 * How an attempt ended. Only status 200 is a success (document, 6.3); `code` is that of a network error, such as
 * ECONNREFUSED.
 */
export type Outcome = z.infer<typeof outcome>;

const attempt = z.object({ number: z.number(), at: z.string(), durationMs: z.number(), outcome });

/** One request to the webhook's URL; `number` starts at 1, and `at` is when it was sent. */
export type Attempt = z.infer<typeof attempt>;

/** A delivery as it is stored across restarts. */
export const storedDelivery = z.object({
  event: z.enum(EVENT_TYPES),
  timestamp: z.string(),
  state: z.enum(['sending', 'retrying', 'delivered', 'failed', 'cancelled']),
  attempts: z.array(attempt),
  /** Null if there is no next attempt. */
  nextAttemptAt: z.string().nullable(),
  /** Empty if there is no next attempt. */
  body: z.string(),
});

/**
 * One notification for one webhook: `sending` (an attempt is in progress), `retrying` (waiting for the next attempt),
 * and at the end `delivered`, `failed` (no attempts left) or `cancelled` (the webhook was disabled or deleted).
 */
export type Delivery = z.infer<typeof storedDelivery>;
