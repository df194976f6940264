import { z } from 'zod';
import { instant } from './primitives';
import { reachabilityCheck } from './reachability';

/**
 * `none`: nothing registered yet. `registering`: the request is in progress, or its outcome is unknown. `active`:
 * Co-Pilot sends notifications. `paused`: paused by the operator. `failed`: Co-Pilot rejected the registration;
 * `sentence` says why.
 */
export const SUBSCRIPTION_STATES = ['none', 'registering', 'active', 'paused', 'failed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/**
 * A difference between Co-Pilot and the desired state. `repaired`: restored. `accepted`: the new value was adopted.
 * `kept`: Co-Pilot did not accept the repair.
 */
export const drift = z.object({
  at: instant,
  field: z.enum(['events', 'active', 'signature_header', 'webhook', 'webhook_id', 'url']),
  /** The desired and the found value, for display; secrets in URLs are masked. */
  before: z.string(),
  after: z.string(),
  outcome: z.enum(['repaired', 'accepted', 'kept']),
});
export type Drift = z.infer<typeof drift>;

/** A webhook at Co-Pilot that Switchboard did not register. It is shown, and never changed. */
const foreignWebhook = z.object({
  webhook_id: z.string().nullable(),
  /** Masked, because it may contain a secret. */
  url: z.string().nullable(),
  events: z.array(z.string()),
  /** Null if the list does not contain it. */
  active: z.boolean().nullable(),
});
export type ForeignWebhook = z.infer<typeof foreignWebhook>;

/**
 * A webhook that signed notifications name, but that Co-Pilot's API has not confirmed as ours: a second webhook, or
 * another id of the current one. Only an operator can delete it, with `DELETE /subscription/webhooks/<webhook_id>`.
 */
const reportedWebhook = z.object({
  webhook_id: z.string(),
  /** When a notification last named it; null if none has since the start. */
  named_at: instant.nullable(),
  /** What is known about it. */
  sentence: z.string(),
});
export type ReportedWebhook = z.infer<typeof reportedWebhook>;

/** The webhook registration at Co-Pilot (document, 2.2). */
export const subscription = z.object({
  state: z.enum(SUBSCRIPTION_STATES),
  /** The state in words. */
  sentence: z.string(),
  /** What is wrong, which `sentence` also says; null if nothing is known to be wrong. */
  problem: z.string().nullable(),
  /** What to do; null if nothing needs to be done. */
  remedy: z.string().nullable(),
  /** The URL that Co-Pilot sends to, with its key masked. */
  url: z.string().nullable(),
  webhook_id: z.string().nullable(),
  /** The subscribed event types. */
  events: z.array(z.string()),
  /** The detected header (document, 5.6); null before the first notification. */
  signature_header: z.string().nullable(),
  /** The previous header, if it changed. */
  signature_header_before: z.string().nullable(),
  registered_at: instant.nullable(),
  /** When it was last compared with Co-Pilot. */
  checked_at: instant.nullable(),
  last_notification_at: instant.nullable(),
  /** Set while a new webhook and its predecessor both exist. */
  rotation: z.object({ started_at: instant, sentence: z.string() }).nullable(),
  /** Newest first, at most 20. */
  drift: z.array(drift),
  /** As of the last list that Co-Pilot returned. */
  foreign: z.array(foreignWebhook),
  /** At most 10, plus predecessors of the current webhook that could not be deleted. */
  reported: z.array(reportedWebhook),
  /** Set if nothing has arrived for unusually long; `usual_seconds` is the usual interval. */
  silence: z.object({ since: instant, usual_seconds: z.number(), sentence: z.string() }).nullable(),
  /** The last reachability check; null before the first. */
  reachability: reachabilityCheck.nullable(),
});
export type Subscription = z.infer<typeof subscription>;

/**
 * `delete_first`: delete the current webhook before the new one is created, for accounts in which Co-Pilot rejects a
 * second webhook. Events that occur in between are lost.
 */
export const rotationRequest = z.strictObject({ delete_first: z.boolean().default(false) }).prefault({});
export type RotationRequest = z.infer<typeof rotationRequest>;
