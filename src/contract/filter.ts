import { z } from 'zod';
import { valueChange } from './entity';
import { eventSummary } from './event';
import { eventId, eventPattern } from './primitives';

export const filter = z
  .record(z.string(), z.unknown())
  .meta({ propertyNames: { minLength: 1 } })
  .describe(
    'Conditions on the payload: `{"data.status_id": {"$in": [2, 3]}}`. All must match. A path goes through objects by name and through arrays by index, or by name through any of their elements; a backslash before a dot makes it part of a name. A condition is a value to equal, or operators: `$eq $ne $in $nin $gt $gte $lt $lte $exists $not $startsWith $contains`. `$changed` (true or false), `$was` and `$became` (a value or a condition) compare a path in `data` with the state of the entity before the event. `$and` and `$or` take lists of filters, `$not` a filter or a condition. Filters are validated when they are saved (422, with the path of each error).',
  );
export type Filter = z.infer<typeof filter>;

export const filterPreviewQuery = z
  .strictObject({
    events: z.array(eventPattern).min(1).max(50).default(['*']).describe('As `events` of a target.'),
    filter: filter.nullable().default(null).describe('As `filter` of a target.'),
    last: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(1_000)
      .describe('How many of the newest events to check.'),
  })
  .describe('Which of the newest stored events a target would accept.');
export type FilterPreviewQuery = z.infer<typeof filterPreviewQuery>;

const previewedEvent = eventSummary.extend({
  id: eventId.describe('The id of the event.'),
  previous_event_id: eventId
    .nullable()
    .describe('The event that told the state before, if the filter compares with it; otherwise null.'),
  changes: z
    .array(valueChange)
    .max(20)
    .describe('What the event changed in the record since then: first at the paths of the filter.'),
});

export const filterPreview = z
  .object({
    checked: z
      .number()
      .int()
      .describe(
        'How many events were checked; fewer than `last` if fewer are stored, or if checking them takes too long.',
      ),
    matched: z.number().int().describe('How many of them the target would accept.'),
    unknown: z
      .number()
      .int()
      .describe(
        'How many of them only because what they are compared with is not known; none without operators for changes.',
      ),
    data: z.array(previewedEvent).describe('The newest matches.'),
  })
  .describe('What a target would have received.');
export type FilterPreview = z.infer<typeof filterPreview>;
