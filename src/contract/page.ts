import { z } from 'zod';
import { numberQuery, textOf } from './primitives';

export const pageQuery = z
  .object({
    limit: numberQuery(1, 200).default(50).describe('How many items a page has at most. By default `50`.'),
    cursor: textOf(200).optional().describe('The `next_cursor` of the previous page; opaque.'),
  })
  .describe('Paging of lists. `cursor` is the `next_cursor` of the previous response; it is opaque.');

export type PageQuery = z.infer<typeof pageQuery>;

/** The schema of a page of `item`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z
    .object({
      data: z.array(item).describe('The items.'),
      next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
    })
    .describe('A page of a list.');
}

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
