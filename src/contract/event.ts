import { z } from 'zod';
import { deliveryDetail } from './delivery';
import { pageQuery } from './page';
import { eventId, instant, instantQuery, repeatable, targetId } from './primitives';

/** Derived from an event's deliveries; `unmatched`: no target accepted it. */
const EVENT_STATUSES = ['unmatched', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** How the types of Switchboard's own events begin; no type of Co-Pilot does (document, 6.1). */
export const OWN_TYPES = 'relay.';

/** The type of an event out of which none could be read: only a plain `*` means it, and no filter of its content. */
export const UNREADABLE_TYPE = 'unreadable';

export const eventSummary = z.object({
  id: eventId,
  seq: z.number().int(),
  type: z.string(),
  entity: z.string().nullable(),
  name: z.string().nullable(),
  occurred_at: instant.nullable(),
  received_at: instant,
  size_bytes: z.number().int(),
  /** What of the document's fields (6.2) could not be read; null where all could. The type stands as far as it could. */
  unreadable: z.string().nullable(),
  duplicates: z.number().int(),
  status: z.enum(EVENT_STATUSES),
});
export type EventSummary = z.infer<typeof eventSummary>;

export const eventDetail = eventSummary.extend({
  webhook_id: z.string().nullable(),
  content_type: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Null for an event of our own (`relay.…`), which nobody signed. */
  verification: z.object({ header: z.string(), algorithm: z.literal('hmac-sha256') }).nullable(),
  duplicate_times: z.array(instant),
  deliveries: z.array(deliveryDetail),
});
export type EventDetail = z.infer<typeof eventDetail>;

/** What a list of events is narrowed to. */
export const eventNarrowing = z.object({
  type: repeatable(z.string().max(200)),
  entity: z.string().max(200).optional(),
  status: z.enum(EVENT_STATUSES).optional(),
  target: targetId.optional(),
  since: instantQuery.optional(),
  until: instantQuery.optional(),
  q: z.string().min(1).max(200).optional(),
});
export type EventNarrowing = z.infer<typeof eventNarrowing>;

/** The id of any event serves as the `cursor`: the page holds what came before it. */
export const eventQuery = pageQuery.extend(eventNarrowing.shape);
export type EventQuery = z.infer<typeof eventQuery>;

/**
 * A line of an export: the event with its JSON, as it was received but for line breaks between its parts; what could not be
 * read is given as bytes instead.
 */
export const exportedEvent = eventSummary.extend({
  body: z.unknown(),
  body_base64: z.string().nullable(),
});

/** How many events an export has; a number that may be estimated, and whether it is. */
export const EXPORT_TOTAL = 'switchboard-export-total';
export const EXPORT_ESTIMATED = 'switchboard-export-estimated';
