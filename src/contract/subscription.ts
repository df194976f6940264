import { z } from 'zod';
import { instant } from './primitives';
import { probe } from './probe';

/**
 * `none`: nothing registered yet. `registering`: the request is under way, or its outcome is unknown. `active`: Co-Pilot
 * sends. `paused`: the operator paused it at Co-Pilot. `failed`: Co-Pilot refused the registration; `sentence` says why.
 */
const SUBSCRIPTION_STATES = ['none', 'registering', 'active', 'paused', 'failed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/**
 * Something was found otherwise at Co-Pilot than it was left. `repaired`: it is as wanted again. `accepted`: what is new
 * was taken over. `kept`: Co-Pilot did not let itself be set right.
 */
export const drift = z.object({
  at: instant,
  field: z.enum(['events', 'active', 'signature_header', 'webhook', 'webhook_id', 'url']),
  /** As it was left, and as it was found. Both are for reading: what is secret in an address is masked. */
  before: z.string(),
  after: z.string(),
  outcome: z.enum(['repaired', 'accepted', 'kept']),
});
export type Drift = z.infer<typeof drift>;

/** A webhook at Co-Pilot that carries neither a key nor an id of ours: somebody else's, shown and never touched. */
const foreignWebhook = z.object({
  webhook_id: z.string().nullable(),
  /** Masked: it may hold a secret. */
  url: z.string().nullable(),
  events: z.array(z.string()),
  /** Null where the list does not say. */
  active: z.boolean().nullable(),
});
export type ForeignWebhook = z.infer<typeof foreignWebhook>;

/**
 * A webhook that signed notifications name, and that Co-Pilot's API has not shown to be ours: a second one, or another name
 * for the present one. Never deleted but by an operator: `DELETE /subscription/webhooks/<webhook_id>`.
 */
const reportedWebhook = z.object({
  webhook_id: z.string(),
  /** When a notification last named it; null where none has since the start. */
  named_at: instant.nullable(),
  /** What is known of it. */
  sentence: z.string(),
});
export type ReportedWebhook = z.infer<typeof reportedWebhook>;

export const subscription = z.object({
  state: z.enum(SUBSCRIPTION_STATES),
  sentence: z.string(),
  /** What is wrong with it, as the sentence says too; null where nothing is known to be. */
  problem: z.string().nullable(),
  /** What to do; null where nothing is to be done. */
  remedy: z.string().nullable(),
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
  /** While a new webhook and the one that it replaces stand side by side. */
  rotation: z.object({ started_at: instant, sentence: z.string() }).nullable(),
  /** Newest first, at most 20. */
  drift: z.array(drift),
  /** As of the last list of webhooks that Co-Pilot gave. */
  foreign: z.array(foreignWebhook),
  /** At most 10, and those before the present one that could not be deleted. */
  reported: z.array(reportedWebhook),
  /** Nothing has arrived for unusually long. */
  silence: z.object({ since: instant, usual_seconds: z.number(), sentence: z.string() }).nullable(),
  /** The last proof that the outside reaches us. */
  probe: probe.nullable(),
});
export type Subscription = z.infer<typeof subscription>;

/** `delete_first` is for a Co-Pilot that refuses a second webhook: what happens between the two is lost. */
export const rotationRequest = z.strictObject({ delete_first: z.boolean().default(false) }).prefault({});
export type RotationRequest = z.infer<typeof rotationRequest>;
