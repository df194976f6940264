import { z } from 'zod';
import { pageOf } from './page';
import { eventId, instant, rejectionId } from './primitives';

/** A notification under a known key that no header's signature fitted: kept aside, within bounds. */
export const rejection = z.object({
  id: rejectionId,
  received_at: instant,
  /** Whom it came from; null for those kept by versions that did not note it. */
  address: z.string().nullable(),
  reason: z.enum(['no_signature', 'signature_mismatch']),
  sentence: z.string(),
  size_bytes: z.number().int(),
  /** As far as 4,096 characters of names and values go. */
  headers: z.array(z.tuple([z.string(), z.string()])),
});
export type Rejection = z.infer<typeof rejection>;

/** How many were dropped for the bounds, ever, and when. Of each hour and reason the first are kept, not the newest. */
const rejectionDrops = z.object({
  count: z.number().int(),
  first_at: instant.nullable(),
  last_at: instant.nullable(),
});
export type RejectionDrops = z.infer<typeof rejectionDrops>;

export const rejectionPage = pageOf(rejection).extend({ dropped: rejectionDrops });
export type RejectionPage = z.infer<typeof rejectionPage>;

/** What another look at it brought. `duplicate`: the same notification is stored already, as `event_id`. */
export const recheckOutcome = z.object({
  outcome: z.enum(['accepted', 'duplicate', 'still_rejected']),
  event_id: eventId.nullable(),
  sentence: z.string(),
});
export type RecheckOutcome = z.infer<typeof recheckOutcome>;
