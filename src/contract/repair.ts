import { z } from 'zod';
import { valueChange } from './entity';
import { pageQuery } from './page';
import { entityKey, eventId, instant, outageId, repairId, targetId } from './primitives';

const REPAIR_STATES = [
  'reading',
  'settling',
  'previewed',
  'applying',
  'done',
  'cancelled',
  'failed',
] as const;
export type RepairState = (typeof REPAIR_STATES)[number];

const PURPOSES = ['repair', 'baseline'] as const;

const ACTIONS = ['changed', 'missing', 'absent'] as const;
export type RepairAction = (typeof ACTIONS)[number];
const action = z
  .enum(ACTIONS)
  .describe(
    '`changed`: the deal differs from what is known of it. `missing`: nothing is known of it. `absent`: it does not exist any more.',
  );

const OUTCOMES = ['stored', 'same', 'arrived_meanwhile', 'older'] as const;
export type RepairOutcome = (typeof OUTCOMES)[number];

export const repairCreate = z
  .strictObject({
    purpose: z
      .enum(PURPOSES)
      .default('repair')
      .describe(
        '`repair`: finds what was missed. `baseline`: only stores the states of deals of which nothing is known, and sends nothing.',
      ),
    outage_ids: z
      .array(outageId)
      .min(1)
      .max(100)
      .optional()
      .describe('The outages to repair; by default all that are not dismissed.'),
    requests_per_minute: z
      .number()
      .int()
      .min(1)
      .max(6_000)
      .default(60)
      .describe('How many requests are sent to Co-Pilot, one at a time.'),
  })
  .default({ purpose: 'repair', requests_per_minute: 60 })
  .describe('What to read the deals for.');
export type RepairCreate = z.infer<typeof repairCreate>;

export const repairApply = z
  .strictObject({
    actions: z.array(action).min(1).default(['changed', 'missing']).describe('What to append events for.'),
    target_ids: z
      .array(targetId)
      .min(1)
      .max(100)
      .optional()
      .describe('Which targets may receive them; by default every target that accepts them.'),
    events_per_second: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(10)
      .describe('How many events are appended.'),
  })
  .default({ actions: ['changed', 'missing'], events_per_second: 10 })
  .describe('What to append.');
export type RepairApply = z.infer<typeof repairApply>;

const count = (what: string) => z.number().int().describe(what);

const read = z
  .object({
    pages: count('Pages read.'),
    records: count('Deals read.'),
    complete: z.boolean().describe('Whether every deal that the token may read was among them.'),
    incomplete_because: z.string().nullable().describe('Why it is not complete.'),
    shape: z.string().nullable().describe('Where the deals are in a page, and what names the next page.'),
    low_seq: z.number().int().nullable().describe('The newest event before the first request.'),
    high_seq: z
      .number()
      .int()
      .nullable()
      .describe("The newest event 35 s after the last request, when Co-Pilot's retries are over."),
  })
  .describe('The reading.');

const counts = z
  .object({
    same: count('Deals that are as known.'),
    changed: count('Deals that differ from what is known of them.'),
    missing: count('Deals of which nothing is known.'),
    absent: count('Known deals that do not exist any more: their own address answers 404 or 410.'),
    arrived_meanwhile: count('Deals of which an event has arrived since the first request.'),
    older: count('Deals of which a newer version is known than was read.'),
    unreadable: count('Elements of the list that are no deals.'),
  })
  .describe('The deals by the result of the comparison.');
export type RepairCounts = z.infer<typeof counts>;

export const repair = z
  .object({
    id: repairId,
    purpose: z.enum(PURPOSES).describe('What for.'),
    state: z
      .enum(REPAIR_STATES)
      .describe(
        'How far it is. `settling`: it waits for notifications of changes that were already read. `previewed`: it can be applied.',
      ),
    outage_ids: z.array(outageId).describe('The outages that it repairs.'),
    requests_per_minute: z.number().int().describe('The rate of the reading.'),
    read,
    counts,
    targets: z
      .array(
        z.object({
          target_id: targetId,
          name: z.string().describe('Its name.'),
          events: count('How many events it would be sent, of changed and missing deals.'),
        }),
      )
      .describe('Who would receive the events.'),
    settles_at: instant
      .nullable()
      .describe('When it compares what it has read; null unless it is `settling`.'),
    apply_until: instant.nullable().describe('Until when it can be applied; null if it cannot.'),
    applied: z
      .object({
        items: count('Items that were treated.'),
        events: count('Events that were stored.'),
        total: count('Items to treat.'),
      })
      .nullable()
      .describe('The progress of applying; null before.'),
    problem: z
      .object({
        reason: z.string().describe('What happened.'),
        remedy: z.string().nullable().describe('What to do.'),
      })
      .nullable()
      .describe('Why it failed, or what holds it up.'),
    not_repairable: z
      .array(
        z.object({
          what: z.string().describe('A kind of entity, or what else.'),
          sentence: z.string().describe('Why not.'),
        }),
      )
      .describe('What no repair can find.'),
    created_at: instant.describe('When it was started.'),
    ended_at: instant.nullable().describe('Null before the end.'),
  })
  .describe('A comparison of the deals at Co-Pilot with what is known of them, and what came of it.');
export type Repair = z.infer<typeof repair>;

export const repairItemQuery = pageQuery.extend({ action: action.optional() });
export type RepairItemQuery = z.infer<typeof repairItemQuery>;

export const repairItem = z
  .object({
    id: z.string().describe('For `cursor`.'),
    entity: entityKey,
    name: z.string().nullable().describe('The `name` in its record.'),
    action,
    changes: z.array(valueChange).describe('How it differs from what was known, at most 20 paths.'),
    outcome: z
      .enum(OUTCOMES)
      .nullable()
      .describe(
        'What applying it came to; an event is stored unless something newer was known. Null before.',
      ),
    event_id: eventId.nullable().describe('The event that was stored, the last one of several.'),
  })
  .describe('A deal that differs.');
export type RepairItem = z.infer<typeof repairItem>;
