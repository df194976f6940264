import { z } from 'zod';
import { pageOf } from './page';
import { eventId, instant, rejectionId } from './primitives';

export const rejection = z
  .object({
    id: rejectionId,
    received_at: instant.describe('When it arrived.'),
    address: z.string().nullable().describe('IP address of the sender; null if it was not recorded.'),
    reason: z
      .enum(['no_signature', 'signature_mismatch'])
      .describe('`no_signature`: no header contains anything that looks like a signature (document, 5.6).'),
    sentence: z.string().describe('The reason in words.'),
    size_bytes: z.number().int().describe('Size of the body.'),
    headers: z
      .array(z.tuple([z.string(), z.string()]))
      .describe('In the order received, with lowercase names, up to 4,096 characters in total.'),
  })
  .describe('A notification with a valid key but without a matching signature, quarantined within limits.');
export type Rejection = z.infer<typeof rejection>;

const rejectionDrops = z
  .object({
    count: z.number().int().describe('How many were dropped.'),
    first_at: instant.nullable().describe('When the first was dropped; null if none was.'),
    last_at: instant.nullable().describe('When the last was dropped; null if none was.'),
  })
  .describe(
    'How many rejections were dropped in total because of the limits, and when. Of each hour and reason, the earliest are kept.',
  );
export type RejectionDrops = z.infer<typeof rejectionDrops>;

export const rejectionPage = pageOf(rejection)
  .extend({ dropped: rejectionDrops })
  .describe('The newest first.');
export type RejectionPage = z.infer<typeof rejectionPage>;

export const recheckOutcome = z
  .object({
    outcome: z
      .enum(['accepted', 'duplicate', 'still_rejected'])
      .describe('Whether it was stored. `duplicate`: it was before, as `event_id`.'),
    event_id: eventId.nullable().describe('The event that it is; null if it is still rejected.'),
    sentence: z.string().describe('The outcome in words.'),
  })
  .describe(
    'Result of verifying a rejection again. `duplicate`: the same notification is already stored as `event_id`.',
  );
export type RecheckOutcome = z.infer<typeof recheckOutcome>;
