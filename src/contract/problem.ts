import { z } from 'zod';

/** Every error response (RFC 9457, `application/problem+json`). */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** Stable, unlike the texts. */
  code: z.string(),
  /** What happened and why. */
  detail: z.string(),
  /** What to do. */
  remedy: z.string().optional(),
  /** All invalid fields of the request. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  /** `position_pruned`: how many events were removed before they were read. */
  missed: z.number().int().optional(),
  /** `position_pruned`: the position to go on from without them. */
  oldest_cursor: z.string().optional(),
  /** `consumer_leased`: who reads the consumer at present. */
  lease: z.object({ holder: z.string(), address: z.string(), until: z.iso.datetime() }).optional(),
});

export type Problem = z.infer<typeof problem>;
