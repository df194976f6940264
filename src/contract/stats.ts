import { z } from 'zod';
import { instant } from './primitives';

/** What happened within one step of the series. */
const statsPoint = z.object({
  at: instant,
  events: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
});
export type StatsPoint = z.infer<typeof statsPoint>;

export const stats = z.object({
  started_at: instant,
  last_seq: z.number().int(),
  /** Since the start of the daemon. */
  received: z.object({
    accepted: z.number().int(),
    duplicate: z.number().int(),
    rejected: z.number().int(),
    refused: z.number().int(),
  }),
  /** Time from the last byte of a notification to its 200, over the last thousand; Co-Pilot allows 5 s. */
  ack_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
  deliveries: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    dead: z.number().int(),
    oldest_open_at: instant.nullable(),
  }),
  step_seconds: z.number().int(),
  series: z.array(statsPoint),
});
export type Stats = z.infer<typeof stats>;
