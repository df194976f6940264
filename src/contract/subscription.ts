import { z } from 'zod';
import { instant } from './primitives';
import { reachabilityCheck } from './reachability';

export const SUBSCRIPTION_STATES = ['none', 'registering', 'active', 'paused', 'failed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

export const drift = z
  .object({
    at: instant.describe('When it was found.'),
    field: z
      .enum(['events', 'active', 'signature_header', 'webhook', 'webhook_id', 'url'])
      .describe('What differed.'),
    before: z
      .string()

      .describe('The desired value, for display; secrets in URLs are masked.'),
    after: z.string().describe('The found value, for display.'),
    outcome: z
      .enum(['repaired', 'accepted', 'kept'])
      .describe(
        'What was done. `repaired`: restored. `accepted`: the new value was adopted. `kept`: Co-Pilot did not accept the repair.',
      ),
  })
  .describe(
    'A difference between Co-Pilot and the desired state. `repaired`: restored. `accepted`: the new value was adopted. `kept`: Co-Pilot did not accept the repair.',
  );
export type Drift = z.infer<typeof drift>;

const foreignWebhook = z
  .object({
    webhook_id: z.string().nullable().describe('Its id at Co-Pilot; null if that is not known.'),
    url: z.string().nullable().describe('Masked, because it may contain a secret.'),
    events: z.array(z.string()).describe('Its event types.'),
    active: z.boolean().nullable().describe('Null if the list does not contain it.'),
  })
  .describe('A webhook at Co-Pilot that Switchboard did not register. It is shown, and never changed.');
export type ForeignWebhook = z.infer<typeof foreignWebhook>;

const reportedWebhook = z
  .object({
    webhook_id: z.string().describe('Its id at Co-Pilot.'),
    named_at: instant
      .nullable()
      .describe('When a notification last named it; null if none has since the start.'),
    sentence: z.string().describe('What is known about it.'),
  })
  .describe(
    "A webhook that signed notifications name, but that Co-Pilot's API has not confirmed as ours: a second webhook, or another id of the current one. Only an operator can delete it, with `DELETE /subscription/webhooks/<webhook_id>`.",
  );
export type ReportedWebhook = z.infer<typeof reportedWebhook>;

export const subscription = z
  .object({
    state: z
      .enum(SUBSCRIPTION_STATES)
      .describe(
        'Whether Co-Pilot sends notifications. `none`: nothing registered yet. `registering`: the request is in progress, or its outcome is unknown. `active`: it does. `paused`: paused by the operator. `failed`: Co-Pilot rejected the registration; `sentence` says why.',
      ),
    sentence: z.string().describe('The state in words.'),
    problem: z
      .string()
      .nullable()
      .describe('What is wrong, which `sentence` also says; null if nothing is known to be wrong.'),
    remedy: z.string().nullable().describe('What to do; null if nothing needs to be done.'),
    url: z.string().nullable().describe('The URL that Co-Pilot sends to, with its key masked.'),
    webhook_id: z.string().nullable().describe('Its id at Co-Pilot; null if there is none.'),
    events: z.array(z.string()).describe('The subscribed event types.'),
    signature_header: z
      .string()
      .nullable()
      .describe('The detected header (document, 5.6); null before the first notification.'),
    signature_header_before: z.string().nullable().describe('The previous header, if it changed.'),
    registered_at: instant.nullable().describe('When it was registered; null if it is not.'),
    checked_at: instant.nullable().describe('When it was last compared with Co-Pilot.'),
    last_notification_at: instant
      .nullable()
      .describe('When the last notification arrived; null if none has.'),
    rotation: z
      .object({
        started_at: instant.describe('When it started.'),
        sentence: z.string().describe('How far it is.'),
      })
      .nullable()
      .describe('Set while a new webhook and its predecessor both exist.'),
    drift: z.array(drift).describe('Newest first, at most 20.'),
    foreign: z.array(foreignWebhook).describe('As of the last list that Co-Pilot returned.'),
    reported: z
      .array(reportedWebhook)
      .describe('At most 10, plus predecessors of the current webhook that could not be deleted.'),
    silence: z
      .object({
        since: instant.describe('When the last notification arrived.'),
        usual_seconds: z.number().describe('The usual interval.'),
        sentence: z.string().describe('What it means.'),
      })
      .nullable()
      .describe('Set if nothing has arrived for unusually long; `usual_seconds` is the usual interval.'),
    reachability: reachabilityCheck
      .nullable()
      .describe('The last reachability check; null before the first.'),
  })
  .describe('The webhook registration at Co-Pilot (document, 2.2).');
export type Subscription = z.infer<typeof subscription>;

export const rotationRequest = z
  .strictObject({
    delete_first: z
      .boolean()
      .default(false)
      .describe(
        'Delete the current webhook before the new one is created, for accounts in which Co-Pilot rejects a second one. Events that occur in between are lost.',
      ),
  })
  .prefault({})
  .describe(
    '`delete_first`: delete the current webhook before the new one is created, for accounts in which Co-Pilot rejects a second webhook. Events that occur in between are lost.',
  );
export type RotationRequest = z.infer<typeof rotationRequest>;
