import { z } from 'zod';
import { eventId, instant, outageId } from './primitives';
import { repair } from './repair';

const OUTAGE_KINDS = ['downtime', 'silence', 'restore', 'failover', 'unregistered', 'not_stored'] as const;
export type OutageKind = (typeof OUTAGE_KINDS)[number];
const outageKind = z
  .enum(OUTAGE_KINDS)
  .describe(
    '`downtime`: the daemon could not receive anything for longer than Co-Pilot retries (document, 6.3), so events may have been missed. `silence`: nothing arrived although traffic was expected. `restore`: the events since a backup are missing, because the database was restored from it. `failover`: the PostgreSQL server was replaced without the newest events. `unregistered`: the webhook was missing or inactive at Co-Pilot, from the last good check on. `not_stored`: notifications were refused because they could not be stored; their retries may have been.',
  );

export const outage = z
  .object({
    id: outageId,
    kind: outageKind,
    began_at: instant.describe('When it began.'),
    ended_at: instant.nullable().describe('Null while it lasts.'),
    seconds: z.number().int().describe('Its duration in seconds, until now if it has not ended.'),
    sentence: z.string().describe('What happened.'),
    dismissed_at: instant.nullable().describe('When an operator acknowledged it; null until then.'),
    after_seq: z
      .number()
      .int()
      .nullable()
      .describe('The newest event that was received before it; null if an earlier version recorded it.'),
    gap_event_id: eventId
      .nullable()
      .describe('The event `relay.gap` at its place in the order of events; null as `after_seq`.'),
  })
  .describe('A period in which events may have been missed.');
export type Outage = z.infer<typeof outage>;

const appliedRepair = repair
  .pick({ id: true, state: true, created_at: true, ended_at: true })
  .extend({ events: z.number().int().describe('How many events it has stored.') });

export const listedOutage = outage
  .extend({
    repairs: z
      .array(appliedRepair)
      .describe('The repairs that were applied to it, newest first; of the last hundred that were applied.'),
  })
  .describe('An outage, and how it was repaired.');
export type ListedOutage = z.infer<typeof listedOutage>;
