import { z } from 'zod';
import { pageQuery } from './page';
import { alertId, instant } from './primitives';

/** A condition that an operator should know about. */
export const alertSummary = z.object({
  id: alertId,
  /** Type of the system events that report it: `relay.<area>.<condition>`. */
  type: z.string(),
  /** Distinguishes alerts of one type, such as by a target's id or a cause; `''` if there is only one. */
  subject: z.string(),
  severity: z.enum(['warning', 'critical']),
  /** What happened. */
  sentence: z.string(),
  /** What to do about it. */
  remedy: z.string(),
  /** Details; the fields depend on `type`. */
  data: z.record(z.string(), z.unknown()),
  /** How often it has been raised since `since`. */
  count: z.number().int(),
  /** When it was first raised. */
  since: instant,
  /** When it was last raised. */
  last_at: instant,
  /** Null while it is active. */
  resolved_at: instant.nullable(),
  /** Why it was resolved; null while it is active. */
  resolution: z.string().nullable(),
});
export type AlertSummary = z.infer<typeof alertSummary>;

export const alertQuery = pageQuery.extend({ state: z.enum(['active', 'resolved']).default('active') });
export type AlertQuery = z.infer<typeof alertQuery>;
