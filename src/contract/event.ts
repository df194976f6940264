import { z } from 'zod';
import { deliveryDetail } from './delivery';
import { pageOf, pageQuery } from './page';
import { parseLongNumbers } from './parse-long-numbers';
import { eventId, eventPosition, instant, instantQuery, repeatable, targetId } from './primitives';

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
  /** The most severe one among its targets; with the filter `target`, that at this target. */
  status: z.enum(EVENT_STATUSES),
  /** How many of its targets have each status, the most severe first; with the filter `target`, only this one. */
  targets: z.partialRecord(z.enum(EVENT_STATUSES), z.number().int()),
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

/** Conditions on the payload in a query parameter: a filter as JSON, parsed. */
const payloadQuery = z
  .string()
  .max(16_384)
  .transform((text, context): unknown => {
    try {
      const value = parseLongNumbers(text);
      // The schema below would leave it out, and so find more than was asked for.
      if (!Object.hasOwn(Object(value) as object, '__proto__')) return value;
    } catch {
      // Answered below.
    }
    context.addIssue({ code: 'custom', message: 'must be a filter as JSON, such as {"data.id": 42}' });
    return z.NEVER;
  })
  .pipe(z.record(z.string(), z.unknown()));

/** Filters of event lists. */
export const eventFilters = z.object({
  /** These events, by `seq`; repeatable. */
  seq: repeatable(z.coerce.number().int().min(1)),
  /** Types or patterns such as `deal.*`; repeatable. */
  type: repeatable(z.string().max(200)),
  /** `<kind>:<id>`, such as `deal:42`. */
  entity: z.string().max(200).optional(),
  status: z.enum(EVENT_STATUSES).optional(),
  /** Only events with a delivery to this target; `status` then means that at this target. */
  target: targetId.optional(),
  /** Received at or after this time. */
  since: instantQuery.optional(),
  /** Received before this time. */
  until: instantQuery.optional(),
  /** Text in the payload, ignoring case. */
  q: z.string().min(1).max(200).optional(),
  /** Conditions on the payload, as `filter` of a target, as JSON: `{"data.price":{"$gte":10000}}`. */
  payload: payloadQuery.optional(),
  /** Only events from Co-Pilot, or only system events. */
  origin: z.enum(['copilot', 'switchboard']).optional(),
});
export type EventFilters = z.infer<typeof eventFilters>;

/** How long a request may be held until there is an answer, in seconds. */
export const waitSeconds = z.coerce.number().int().min(0).max(30);

/** The id of any event can be used as `cursor`: the page starts with the event before it. */
export const eventQuery = pageQuery
  .extend(eventFilters.shape)
  .extend({
    /** Paths of payload fields whose values to return, as in a filter: `data.price`; repeatable. */
    field: repeatable(z.string().min(1).max(200)),
    /** Turns the list around: oldest first, what follows this position. */
    after: eventPosition.optional(),
    /** With `after`: if no event matches, the response waits up to this time for one. */
    wait: waitSeconds.optional(),
    /** With `after`: the payloads too. */
    include: z.literal('body').optional(),
  })
  .refine(({ after, cursor }) => after === undefined || cursor === undefined, {
    path: ['cursor'],
    message: 'cannot be combined with `after`',
  })
  .refine(({ after, wait, include }) => after !== undefined || (wait ?? include) === undefined, {
    path: ['after'],
    message: 'is required by `wait` and `include`',
  });
export type EventQuery = z.infer<typeof eventQuery>;

/** An event in the list of events. */
export const listedEvent = eventSummary.extend({
  /**
   * By path, the first value of each requested field that the payload has; long ones are truncated, objects and lists
   * are JSON text, and a number that JavaScript would round is a string of its digits.
   */
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});
export type ListedEvent = z.infer<typeof listedEvent>;

/** An event that follows a position. Its payload is there if it was asked for, as in an export. */
export const followingEvent = listedEvent.extend({
  body: z.unknown().optional(),
  body_base64: z.string().nullable().optional(),
});
export type FollowingEvent = z.infer<typeof followingEvent>;

/** Events that follow a position, oldest first. */
export const followingEvents = z.object({
  data: z.array(followingEvent),
  /** The position behind the last event examined, for `after` of the next request. */
  next_cursor: eventId,
  /** The newest event stored, by `seq`. */
  newest_seq: z.number().int(),
  /** Events that are stored behind `next_cursor`, whether they match or not. */
  lag: z.number().int(),
});
export type FollowingEvents = z.infer<typeof followingEvents>;

/** With `after` what follows it, otherwise a page of the list. */
export const eventList = z.union([followingEvents, pageOf(listedEvent)]);

/** How many events match; an estimate if not all could be examined in time. */
export const eventCount = z.object({ count: z.number().int(), estimated: z.boolean() });
export type EventCount = z.infer<typeof eventCount>;

export const eventHistogramQuery = eventFilters.extend({
  /** The maximum number of buckets. */
  buckets: z.coerce.number().int().min(2).max(200).default(60),
});
export type EventHistogramQuery = z.infer<typeof eventHistogramQuery>;

/** The matching events by time of receipt and status. */
export const eventHistogram = eventCount.extend({
  /** The width of each bucket, in seconds. */
  bucket_s: z.number().int(),
  /** Consecutive buckets, oldest first. `counts` has no entry for a status without events. */
  buckets: z.array(
    z.object({ at: instant, counts: z.partialRecord(z.enum(EVENT_STATUSES), z.number().int()) }),
  ),
});
export type EventHistogram = z.infer<typeof eventHistogram>;

const EXPORT_FORMATS = ['ndjson', 'csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportQuery = eventFilters.extend({ format: z.enum(EXPORT_FORMATS).default('ndjson') });
export type ExportQuery = z.infer<typeof exportQuery>;

/** An event in an export: a line of NDJSON, an element of the JSON list, a row of the CSV. */
export const exportedEvent = eventSummary.extend({
  /** The event's JSON as received, except for line breaks between tokens; null if it cannot be parsed. */
  body: z.unknown(),
  /** The bytes of a body that cannot be parsed; null otherwise. */
  body_base64: z.string().nullable(),
});
