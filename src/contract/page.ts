import { z } from 'zod';

/** Lists are read a page at a time; `cursor` is the previous answer's `next_cursor`, opaque to the reader. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});

export type PageQuery = z.infer<typeof pageQuery>;

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
