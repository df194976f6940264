import { z } from 'zod';
import { eventId, instant, instantQuery } from './primitives';

const seq = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const asOf = z
  .object({
    seq: z.number().int().describe('The last event that was taken into account.'),
    at: instant.nullable().describe('When it was received; null if it is not stored.'),
  })
  .describe('When the answer was true: what the hub knew then.');

export const entityContext = z
  .object({
    as_of: asOf,
    horizon: asOf.describe('The earliest point in time that can be asked for.'),
    coverage: z
      .object({
        complete: z.boolean().describe('Whether every entity is known.'),
        since: instant
          .nullable()
          .describe('Every entity that has changed since then is known; null before the first event.'),
        sentence: z.string().describe('What is missing.'),
      })
      .describe('What the hub cannot know.'),
  })
  .describe('What a state was derived from.');
export type EntityContext = z.infer<typeof entityContext>;

export const entityState = z
  .object({
    entity: z.string().describe('The entity, such as `deal:42`.'),
    kind: z.string().describe('Of the entity: `deal`.'),
    entity_id: z.string().describe('Its id at Co-Pilot: `42`.'),
    name: z.string().nullable().describe('The `name` or `title` in its record.'),
    state: z
      .enum(['present', 'deleted'])
      .describe('`deleted` if the type of the event that tells its state ends in `.deleted`.'),
    record: z.record(z.string(), z.unknown()).describe('The `data` of that event, as received.'),
    updated_at: instant.nullable().describe('The version of the record; null if it has none.'),
    received_at: instant.describe('When the event was received.'),
    seq: z.number().int().describe('Of the event.'),
    event_id: eventId.describe('The event that tells the state.'),
    event_type: z.string().describe('Its type.'),
  })
  .describe('The state of an entity.');
export type EntityState = z.infer<typeof entityState>;

export const entityDetail = entityState
  .extend(entityContext.shape)
  .describe('The state of an entity, and what it was derived from.');

const asOfQuery = {
  as_of: instantQuery.optional().describe('The state that was known at this time; by default now.'),
  as_of_seq: seq.optional().describe('The state after this event instead.'),
};

const isOnePoint = (query: { as_of?: number | undefined; as_of_seq?: number | undefined }) =>
  query.as_of === undefined || query.as_of_seq === undefined;
const ONE_POINT = { path: ['as_of_seq'], message: 'cannot be combined with `as_of`' };

export const entityQuery = z.strictObject(asOfQuery).refine(isOnePoint, ONE_POINT);
export type EntityQuery = z.infer<typeof entityQuery>;

const pointInTime = z.union([
  seq.transform((value) => ({ seq: value })),
  instantQuery.transform((at) => ({ at })),
]);
export type PointInTime = z.infer<typeof pointInTime>;

export const entityChangesQuery = z.strictObject({
  from: pointInTime.describe('A time or a `seq`: the earlier state.'),
  to: pointInTime.optional().describe('A time or a `seq`: the later state; by default the present one.'),
});
export type EntityChangesQuery = z.infer<typeof entityChangesQuery>;

export const valueChange = z
  .object({
    path: z.string().describe('As in a filter: `data.status_id`. Lists are compared as a whole.'),
    before: z.unknown().optional().describe('Absent if there was no value.'),
    after: z.unknown().optional().describe('Absent if there is no value.'),
  })
  .describe('A difference between two records.');

const changes = {
  changes: z.array(valueChange).describe('The differences by path, at most 500.'),
  truncated: z.boolean().describe('Whether there are more.'),
};

export type ValueChange = z.infer<typeof valueChange>;

export const entityChanges = z
  .object({
    from: entityState.nullable().describe('The earlier state; null if none was known.'),
    to: entityState.nullable().describe('The later state; null if none was known.'),
    ...changes,
  })
  .describe('How an entity differs between two points in time.');

export const eventChanges = z
  .object({
    previous_event_id: eventId
      .nullable()
      .describe('The event that told the state before; null if there is none.'),
    previous: z
      .enum(['known', 'none', 'unknown'])
      .describe('`none`: the event created the entity. `unknown`: nothing is stored of what was before.'),
    late: z.boolean().describe('Whether a newer version of the record was known before.'),
    known_event_id: eventId
      .nullable()
      .describe('If it is late: the event that had told a newer version before; otherwise null.'),
    ...changes,
  })
  .describe('What an event changed in the record of its entity.');
