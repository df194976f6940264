import { z } from 'zod';
import { pageOf } from './page';
import { eventId, instant, rejectionId } from './primitives';

/** A notification with a valid key but without a matching signature, quarantined within limits. */
export const rejection = z.object({
  id: rejectionId,
  received_at: instant,
  /** IP address of the sender; null if it was not recorded. */
  address: z.string().nullable(),
  /** `no_signature`: no header contains anything that looks like a signature (document, 5.6). */
  reason: z.enum(['no_signature', 'signature_mismatch']),
  /** The reason in words. */
  sentence: z.string(),
  /** Size of the body. */
  size_bytes: z.number().int(),
  /** In the order received, with lowercase names, up to 4,096 characters in total. */
  headers: z.array(z.tuple([z.string(), z.string()])),
});
export type Rejection = z.infer<typeof rejection>;

/**
 * How many rejections were dropped in total because of the limits, and when. Of each hour and reason, the earliest
 * are kept.
 */
const rejectionDrops = z.object({
  count: z.number().int(),
  first_at: instant.nullable(),
  last_at: instant.nullable(),
});
export type RejectionDrops = z.infer<typeof rejectionDrops>;

/** The newest first. */
export const rejectionPage = pageOf(rejection).extend({ dropped: rejectionDrops });
export type RejectionPage = z.infer<typeof rejectionPage>;

/** Result of verifying a rejection again. `duplicate`: the same notification is already stored as `event_id`. */
export const recheckOutcome = z.object({
  outcome: z.enum(['accepted', 'duplicate', 'still_rejected']),
  event_id: eventId.nullable(),
  sentence: z.string(),
});
export type RecheckOutcome = z.infer<typeof recheckOutcome>;
