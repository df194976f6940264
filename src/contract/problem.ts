import { z } from 'zod';

/** Every error of ours (RFC 9457, `application/problem+json`); `code` is stable, the sentences may be reworded. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  remedy: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export type Problem = z.infer<typeof problem>;
