import { z } from 'zod';
import { eventSummary } from './event';
import { eventPattern } from './primitives';

/**
 * Conditions on the payload: `{"data.status_id": {"$in": [2, 3]}}`. All must match. A path goes through objects by
 * name and through arrays by index, or by name through any of their elements; a backslash before a dot makes it part
 * of a name. A condition is a value to equal, or operators: `$eq $ne $in $nin $gt $gte $lt $lte $exists $not
 * $startsWith $contains`. `$and` and `$or` take lists of filters, `$not` a filter or a condition. Filters are
 * validated when they are saved (422, with the path of each error).
 */
export const filter = z.record(z.string(), z.unknown());
export type Filter = z.infer<typeof filter>;

/** Which of the newest stored events a target would accept. */
export const filterPreviewQuery = z.strictObject({
  /** As `events` of a target. */
  events: z.array(eventPattern).min(1).max(50).default(['*']),
  filter: filter.nullable().default(null),
  /** How many of the newest events to check. */
  last: z.number().int().min(1).max(1_000).default(1_000),
});
export type FilterPreviewQuery = z.infer<typeof filterPreviewQuery>;

export const filterPreview = z.object({
  /** How many events were checked; fewer than `last` if fewer are stored, or if checking them takes too long. */
  checked: z.number().int(),
  /** How many of them the target would accept. */
  matched: z.number().int(),
  /** The newest matches. */
  data: z.array(eventSummary),
});
export type FilterPreview = z.infer<typeof filterPreview>;
