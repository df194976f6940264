import { z } from 'zod';
import { instant, outageId } from './primitives';

/**
 * `downtime`: this hub could take nothing in, for longer than Co-Pilot tries again: events may have been missed.
 * `silence`: nothing arrived where much usually does; not over while `ended_at` is null.
 */
const OUTAGE_KINDS = ['downtime', 'silence'] as const;
export type OutageKind = (typeof OUTAGE_KINDS)[number];

export const outage = z.object({
  id: outageId,
  kind: z.enum(OUTAGE_KINDS),
  began_at: instant,
  ended_at: instant.nullable(),
  /** How long it was, or is so far. */
  seconds: z.number().int(),
  sentence: z.string(),
  /** When an operator had seen to it. */
  dismissed_at: instant.nullable(),
});
export type Outage = z.infer<typeof outage>;
