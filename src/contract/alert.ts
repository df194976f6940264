import { z } from 'zod';
import { pageQuery } from './page';
import { alertId, instant } from './primitives';

/** A condition that an operator has to know of. */
export const alertSummary = z.object({
  id: alertId,
  /** Type of the events that tell it, `relay.<area>.<condition>`. */
  type: z.string(),
  /** What it concerns: a target's id, a cause, or `''` for the daemon itself. */
  subject: z.string(),
  severity: z.enum(['warning', 'critical']),
  sentence: z.string(),
  remedy: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** How often it was raised since it began. */
  count: z.number().int(),
  since: instant,
  last_at: instant,
  /** Null while it is active. */
  resolved_at: instant.nullable(),
  /** Why it is over, as a sentence; null while it is active. */
  resolution: z.string().nullable(),
});
export type AlertSummary = z.infer<typeof alertSummary>;

export const alertQuery = pageQuery.extend({ state: z.enum(['active', 'resolved']).default('active') });
export type AlertQuery = z.infer<typeof alertQuery>;
