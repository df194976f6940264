import { z } from 'zod';
import { instant, outageId } from './primitives';

/**
 * `downtime`: the daemon could not receive anything for longer than Co-Pilot retries (document, 6.3), so events may
 * have been missed. `silence`: nothing arrived although traffic was expected. `restore`: the events since a backup
 * are missing, because the database was restored from it. `failover`: the PostgreSQL server was replaced without the
 * newest events.
 */
const OUTAGE_KINDS = ['downtime', 'silence', 'restore', 'failover'] as const;
export type OutageKind = (typeof OUTAGE_KINDS)[number];

/** A period in which events may have been missed. */
export const outage = z.object({
  id: outageId,
  kind: z.enum(OUTAGE_KINDS),
  began_at: instant,
  /** Null while it lasts. */
  ended_at: instant.nullable(),
  /** Its duration in seconds, until now if it has not ended. */
  seconds: z.number().int(),
  /** What happened. */
  sentence: z.string(),
  /** When an operator acknowledged it; null until then. */
  dismissed_at: instant.nullable(),
});
export type Outage = z.infer<typeof outage>;
