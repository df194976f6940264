import { z } from 'zod';

/** Paging of lists. `cursor` is the `next_cursor` of the previous response; it is opaque. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});

export type PageQuery = z.infer<typeof pageQuery>;

/** The schema of a page of `item`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
