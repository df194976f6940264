import { z } from 'zod';
import { deliveryDetail } from './delivery';
import { pageOf, pageQuery } from './page';
import { parseLongNumbers } from './parse-long-numbers';
import { payloadScalar } from './payload-field';
import { payloadPath } from './payload-path';
import {
  entityKey,
  eventId,
  eventPosition,
  instant,
  instantQuery,
  numberQuery,
  payloadText,
  repairId,
  repeatable,
  targetId,
  textOf,
} from './primitives';

/** Derived from the event's deliveries. `unmatched`: no target accepted it. */
const EVENT_STATUSES = ['unmatched', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export const eventSummary = z
  .object({
    id: eventId,
    seq: z.number().int().describe('Position in commit order; the only order that cursors use.'),
    type: z
      .string()
      .describe("Co-Pilot's event type (document, 6.1), `relay.…` for system events, or `unreadable`."),
    entity: z
      .string()
      .nullable()
      .describe('What the event is about, such as `deal:42`; null if its payload does not say.'),
    name: z.string().nullable().describe('The `name` or `title` in its payload.'),
    occurred_at: instant
      .nullable()
      .describe("The notification's `timestamp` (document, 6.2); null if it cannot be parsed."),
    received_at: instant.describe('When it started to arrive.'),
    size_bytes: z.number().int().describe('Size of the body.'),
    repair_id: repairId
      .nullable()
      .describe('The repair that made it, if the event is synthetic; null if it is not.'),
    unreadable: z
      .string()
      .nullable()
      .describe('Why the notification could not be parsed as in the document, 6.2; null if it could.'),
    erased_at: instant
      .nullable()
      .describe(
        'When its content was erased; null if it was not. What an operator erases keeps its place and its history.',
      ),
    duplicates: z.number().int().describe('How often the same bytes arrived again.'),
    status: z
      .enum(EVENT_STATUSES)
      .describe(
        'The most severe one among its targets; with the filter `target`, that at this target. At a deleted target, a dead letter counts as cancelled.',
      ),
    targets: z
      .partialRecord(z.enum(EVENT_STATUSES), z.number().int())
      .describe(
        'How many of its targets have each status, the most severe first; with the filter `target`, only this one.',
      ),
  })
  .describe('An event in lists.');
export type EventSummary = z.infer<typeof eventSummary>;

export const eventDetail = eventSummary
  .extend({
    webhook_id: z.string().nullable().describe("The notification's `webhook_id` (document, 2.2)."),
    content_type: z.string().nullable().describe('As received.'),
    headers: z
      .array(z.tuple([z.string(), z.string()]))
      .describe('In the order received, with lowercase names and without credentials.'),
    verification: z
      .object({
        header: z.string().describe('The header that held the signature.'),
        algorithm: z.literal('hmac-sha256').describe('How it is computed.'),
      })
      .nullable()
      .describe(
        'How the signature was verified (document, 5.6); null for system events, which are not signed.',
      ),
    duplicate_times: z.array(instant).describe('When duplicates of it arrived, oldest first.'),
    late: z
      .boolean()
      .describe('Whether a newer version of the record was known before; its entity’s state did not change.'),
    deliveries: z.array(deliveryDetail).describe('Its deliveries to all targets.'),
  })
  .describe('An event with everything that is stored about it.');
export type EventDetail = z.infer<typeof eventDetail>;

export const payloadQuery = z
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
  .pipe(z.record(z.string(), z.unknown()))
  .meta({ contentMediaType: 'application/json' })
  .describe('Conditions on the payload in a query parameter: a filter as JSON, parsed.');

export const eventFilters = z
  .object({
    seq: repeatable(numberQuery(1)).describe('These events, by `seq`; repeatable.'),
    type: repeatable(textOf(200)).describe('Types or patterns such as `deal.*`; repeatable.'),
    entity: entityKey.optional(),
    status: z.enum(EVENT_STATUSES).optional().describe('Only events with this status.'),
    target: targetId
      .optional()
      .describe('Only events with a delivery to this target; `status` then means that at this target.'),
    since: instantQuery.optional().describe('Received at or after this time.'),
    until: instantQuery.optional().describe('Received before this time.'),
    q: payloadText.optional(),
    payload: payloadQuery
      .optional()
      .describe(
        'Conditions on the payload, as `filter` of a target, as JSON: `{"data.price":{"$gte":10000}}`, of at most 16,384 characters.',
      ),
    origin: z
      .enum(['copilot', 'switchboard', 'synthetic', 'not_switchboard'])
      .optional()
      .describe(
        'Only events from Co-Pilot, only system events, only those that repairs have made, or all but system events.',
      ),
  })
  .describe('Filters of event lists.');
export type EventFilters = z.infer<typeof eventFilters>;

/** How long a request may be held until there is an answer, in seconds. */
export const MAX_WAIT_S = 30;

/** The id of any event can be used as `cursor`: the page starts with the event before it. */
export const eventQuery = pageQuery
  .extend(eventFilters.shape)
  .extend({
    field: repeatable(payloadPath).describe(
      'Paths of payload fields whose values to return, as in a filter: `data.price`; repeatable.',
    ),
    after: eventPosition
      .optional()
      .describe('Turns the list around: oldest first, what follows this position.'),
    wait: numberQuery(0, MAX_WAIT_S)
      .optional()
      .describe('With `after`: if no event matches, the response waits up to this time for one.'),
    include: z.literal('body').optional().describe('With `after`: the payloads too.'),
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

export const payloadValues = z
  .record(z.string(), payloadScalar)
  .optional()
  .describe(
    'By path, the first value of each requested field that the payload has; long ones are truncated, objects and lists are JSON text, and a number that JavaScript would round is a string of its digits.',
  );

export const listedEvent = eventSummary
  .extend({ fields: payloadValues })
  .describe('An event in the list of events.');
export type ListedEvent = z.infer<typeof listedEvent>;

export const followingEvent = listedEvent
  .extend({
    body: z.unknown().optional().describe('With `include=body`, the payload; null if it cannot be parsed.'),
    body_base64: z
      .string()
      .nullable()
      .optional()
      .describe('With `include=body`, the bytes of a body that cannot be parsed; null otherwise.'),
  })
  .describe('An event that follows a position. Its payload is there if it was asked for, as in an export.');
export type FollowingEvent = z.infer<typeof followingEvent>;

export const followingEvents = z
  .object({
    data: z.array(followingEvent).describe('The events, oldest first.'),
    next_cursor: eventId.describe(
      'The position behind the last event examined, for `after` of the next request.',
    ),
    newest_seq: z.number().int().describe('The newest event stored, by `seq`.'),
    lag: z.number().int().describe('Events that are stored behind `next_cursor`, whether they match or not.'),
  })
  .describe('Events that follow a position, oldest first.');
export type FollowingEvents = z.infer<typeof followingEvents>;

export const eventPage = pageOf(listedEvent);

export const eventList = z
  .union([followingEvents, eventPage])
  .describe('With `after` what follows it, otherwise a page of the list.');

export const eventCount = z
  .object({
    count: z.number().int().describe('How many events match.'),
    estimated: z.boolean().describe('Whether it is an estimate.'),
  })
  .describe('How many events match; an estimate if not all could be examined in time.');
export type EventCount = z.infer<typeof eventCount>;

export const eventHistogramQuery = eventFilters.extend({
  buckets: numberQuery(2, 200).default(60).describe('The maximum number of buckets. By default `60`.'),
});
export type EventHistogramQuery = z.infer<typeof eventHistogramQuery>;

export const eventHistogram = eventCount
  .extend({
    bucket_s: z.number().int().describe('The width of each bucket, in seconds.'),
    buckets: z
      .array(
        z.object({
          at: instant.describe('When the bucket begins.'),
          counts: z
            .partialRecord(z.enum(EVENT_STATUSES), z.number().int())
            .describe('How many events have each status.'),
        }),
      )
      .describe('Consecutive buckets, oldest first. `counts` has no entry for a status without events.'),
  })
  .describe('The matching events by time of receipt and status.');
export type EventHistogram = z.infer<typeof eventHistogram>;

export const eventBodyQuery = z.object({
  masked: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(
      'Whether JSON with masked values is acceptable; if values are masked for the caller, there is nothing else.',
    ),
});
export type EventBodyQuery = z.infer<typeof eventBodyQuery>;

export const exportQuery = eventFilters.extend({
  format: z.enum(['ndjson', 'csv', 'json']).default('ndjson').describe('The form of the export.'),
});
export type ExportFormat = z.infer<typeof exportQuery>['format'];
export type ExportQuery = z.infer<typeof exportQuery>;

export const exportedEvent = eventSummary
  .extend({
    body: z
      .unknown()
      .describe(
        "The event's JSON as received, except for line breaks between tokens; null if it cannot be parsed.",
      ),
    body_base64: z.string().nullable().describe('The bytes of a body that cannot be parsed; null otherwise.'),
  })
  .describe('An event in an export: a line of NDJSON, an element of the JSON list, a row of the CSV.');
