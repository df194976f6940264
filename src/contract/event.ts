import { z } from 'zod';
import { deliveryDetail } from './delivery';
import { pageQuery } from './page';
import { eventId, instant, instantQuery, repeatable, targetId } from './primitives';

/** Derived from the event's deliveries. `unmatched`: no target accepted it. */
const EVENT_STATUSES = ['unmatched', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** An event in lists. */
export const eventSummary = z.object({
  id: eventId,
  /** Position in commit order; the only order that cursors use. */
  seq: z.number().int(),
  /** Co-Pilot's event type (document, 6.1), `relay.…` for system events, or `unreadable`. */
  type: z.string(),
  /** What the event is about, such as `deal:42`; null if its payload does not say. */
  entity: z.string().nullable(),
  /** The `name` or `title` in its payload. */
  name: z.string().nullable(),
  /** The notification's `timestamp` (document, 6.2); null if it cannot be parsed. */
  occurred_at: instant.nullable(),
  /** When it started to arrive. */
  received_at: instant,
  /** Size of the body. */
  size_bytes: z.number().int(),
  /** Why the notification could not be parsed as in the document, 6.2; null if it could. */
  unreadable: z.string().nullable(),
  /** How often the same bytes arrived again. */
  duplicates: z.number().int(),
  status: z.enum(EVENT_STATUSES),
});
export type EventSummary = z.infer<typeof eventSummary>;

/** An event with everything that is stored about it. */
export const eventDetail = eventSummary.extend({
  /** The notification's `webhook_id` (document, 2.2). */
  webhook_id: z.string().nullable(),
  /** As received. */
  content_type: z.string().nullable(),
  /** In the order received, with lowercase names and without credentials. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** How the signature was verified (document, 5.6); null for system events, which are not signed. */
  verification: z.object({ header: z.string(), algorithm: z.literal('hmac-sha256') }).nullable(),
  /** When duplicates of it arrived, oldest first. */
  duplicate_times: z.array(instant),
  deliveries: z.array(deliveryDetail),
});
export type EventDetail = z.infer<typeof eventDetail>;

/** Filters of event lists. */
export const eventFilters = z.object({
  /** Types or patterns such as `deal.*`; repeatable. */
  type: repeatable(z.string().max(200)),
  /** `<kind>:<id>`, such as `deal:42`. */
  entity: z.string().max(200).optional(),
  status: z.enum(EVENT_STATUSES).optional(),
  /** Only events with a delivery to this target. */
  target: targetId.optional(),
  /** Received at or after this time. */
  since: instantQuery.optional(),
  /** Received before this time. */
  until: instantQuery.optional(),
  /** Text in the payload, ignoring case. */
  q: z.string().min(1).max(200).optional(),
});
export type EventFilters = z.infer<typeof eventFilters>;

/** The id of any event can be used as `cursor`: the page starts with the event before it. */
export const eventQuery = pageQuery.extend(eventFilters.shape);
export type EventQuery = z.infer<typeof eventQuery>;

/** A line of an export. */
export const exportedEvent = eventSummary.extend({
  /** The event's JSON as received, except for line breaks between tokens; null if it cannot be parsed. */
  body: z.unknown(),
  /** The bytes of a body that cannot be parsed; null otherwise. */
  body_base64: z.string().nullable(),
});
