import { z } from 'zod';
import { eventSummary } from './event';
import { eventGlob } from './event-glob';

/**
 * Which notifications a target accepts, by their content: `{"data.status_id": {"$in": [2, 3]}}`. Everything named has to
 * hold. A path leads through objects by name and through arrays by index, or by name through any of their elements. A
 * condition is a value that has to be there, or operators: `$eq $ne $in $nin $gt $gte $lt $lte $exists $not $startsWith
 * $contains`; `$and` and `$or` take lists of filters, `$not` a filter or a condition. Its form is checked where it is
 * saved (422, every fault with its path).
 */
export const filter = z.record(z.string(), z.unknown());
export type Filter = z.infer<typeof filter>;

/** Which of the newest stored events a target would accept. */
export const filterPreviewQuery = z.strictObject({
  events: z.array(eventGlob).min(1).max(50).default(['*']),
  filter: filter.nullable().default(null),
  last: z.number().int().min(1).max(1_000).default(1_000),
});
export type FilterPreviewQuery = z.infer<typeof filterPreviewQuery>;

export const filterPreview = z.object({
  /** How many were looked at: fewer than asked for where fewer are stored, where they are very large, or where looking at them takes long. */
  looked_at: z.number().int(),
  matched: z.number().int(),
  /** The newest of those that match. */
  data: z.array(eventSummary),
});
export type FilterPreview = z.infer<typeof filterPreview>;
