import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';

const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('response'), status: z.number() }),
  z.object({ kind: z.literal('timeout') }),
  z.object({ kind: z.literal('unreachable'), code: z.string() }),
]);

/** `code` is that of a network error, such as ECONNREFUSED. Only status 200 is a success (document, 6.3). */
export type Outcome = z.infer<typeof outcome>;

const attempt = z.object({ number: z.number(), at: z.string(), durationMs: z.number(), outcome });

/** `number` starts at 1. */
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
 * One notification for one webhook: `sending` (an attempt is under way), `retrying` (waiting for the next
 * attempt), and at the
 * end `delivered`, `failed` (no attempt is left) or `cancelled` (the webhook was
 * disabled or deleted).
 */
export type Delivery = z.infer<typeof storedDelivery>;
