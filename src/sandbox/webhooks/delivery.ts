import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';

const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('response'), status: z.number() }),
  z.object({ kind: z.literal('timeout') }),
  z.object({ kind: z.literal('unreachable'), code: z.string() }),
]);

/** What came of one attempt; `code` is that of a network error, such as ECONNREFUSED. Only an answer of 200 is success (document, 6.3). */
export type Outcome = z.infer<typeof outcome>;

const attempt = z.object({ number: z.number(), at: z.string(), durationMs: z.number(), outcome });

/** One try at a notification; `number` from 1. */
export type Attempt = z.infer<typeof attempt>;

/** A delivery as it is kept across restarts. */
export const storedDelivery = z.object({
  event: z.enum(EVENT_TYPES),
  timestamp: z.string(),
  state: z.enum(['sending', 'retrying', 'delivered', 'failed', 'cancelled']),
  attempts: z.array(attempt),
  /** When the next attempt is or was due; null when none is left to make. */
  nextAttemptAt: z.string().nullable(),
  /** What is sent; empty when no attempt is left to make. */
  body: z.string(),
});

/**
 * One notification on its way to one webhook: `sending` (an attempt is under way), `retrying` (waiting for the next
 * attempt), and at the
 * end `delivered`, `failed` (no attempt is left) or `cancelled` (the webhook was
 * disabled or deleted).
 */
export type Delivery = z.infer<typeof storedDelivery>;
