import { z } from 'zod';
import { instant } from './primitives';

/**
 * `none`: nothing registered yet. `registering`: the request is under way, or its outcome is unknown. `active`: Co-Pilot
 * sends. `failed`: Co-Pilot refused the registration; `sentence` says why.
 */
const SUBSCRIPTION_STATES = ['none', 'registering', 'active', 'failed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

export const subscription = z.object({
  state: z.enum(SUBSCRIPTION_STATES),
  sentence: z.string(),
  /** Where Co-Pilot sends, the key masked. */
  url: z.string().nullable(),
  webhook_id: z.string().nullable(),
  events: z.array(z.string()),
  signature_header: z.string().nullable(),
  /** The header's name before the last change of it, if there was one. */
  signature_header_before: z.string().nullable(),
  registered_at: instant.nullable(),
  checked_at: instant.nullable(),
  last_notification_at: instant.nullable(),
});
export type Subscription = z.infer<typeof subscription>;
