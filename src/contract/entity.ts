import { z } from 'zod';
import { eventCount, exportQuery, payloadQuery, payloadValues } from './event';
import { pageOf, pageQuery } from './page';
import { payloadPath } from './payload-path';
import {
  entityKey,
  eventId,
  instant,
  instantQuery,
  numberQuery,
  payloadText,
  repairId,
  repeatable,
  textOf,
} from './primitives';

const seq = numberQuery(0);

const asOf = z
  .object({
    seq: z.number().int().describe('The last event that was taken into account.'),
    at: instant.nullable().describe('When it was received; null if it is not stored.'),
  })
  .describe('When the answer was true: what the hub knew then.');

export const entityContext = z
  .object({
    as_of: asOf,
    horizon: asOf.describe(
      'The earliest point in time that can be asked for: a `seq`, and when the first event stored from there on was received.',
    ),
    coverage: z
      .object({
        complete: z
          .boolean()
          .describe(
            'Whether every entity that was asked for is known: deals, after a baseline that read all of them, without an outage since.',
          ),
        since: instant
          .nullable()
          .describe(
            'Every entity that has changed since then is known; if it is complete, when the baseline began. Null before the first event.',
          ),
        sentence: z.string().describe('What is missing, or what is known.'),
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
    event_id: eventId
      .nullable()
      .describe('The event that tells the state; null if it is not stored any more.'),
    event_type: z.string().describe('Its type.'),
    source: z
      .enum(['event', 'floor', 'synthetic', 'baseline'])
      .describe(
        'What tells the state: a stored event, what is left of one that was removed, an event that a repair made, stored or not, or a record that was read at Co-Pilot as a baseline.',
      ),
    repair_id: repairId.nullable().describe('The repair that made the event; null for any other.'),
    retained: z.boolean().describe('Whether its event is stored.'),
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

const pointInTime = z.union(
  [seq.transform((value) => ({ seq: value })), instantQuery.transform((at) => ({ at }))],
  'must be a time or a `seq`',
);
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

const entityFilters = z.strictObject({
  kind: textOf(200, 1).optional().describe('Only entities of this kind: `deal`.'),
  payload: payloadQuery
    .optional()
    .describe('Conditions on the payload that tells the state, as in `/events`: `{"data.status_id":3}`.'),
  state: z
    .enum(['present', 'deleted', 'all'])
    .default('present')
    .describe('Whether those that were deleted are wanted, too.'),
  q: payloadText.optional(),
  ...asOfQuery,
});
export type EntityFilters = z.infer<typeof entityFilters>;

const field = repeatable(payloadPath).describe(
  'Paths of fields whose values to return, as in a filter: `data.price`; repeatable.',
);

/** It contains the entity, which may be long. */
const cursor = textOf(2_000).optional().describe('The `next_cursor` of the previous page; opaque.');

export const entityListQuery = entityFilters
  .extend({
    limit: pageQuery.shape.limit,
    cursor,
    field,
    sort: z
      .enum(['changed', 'entity'])
      .default('changed')
      .describe('`changed`: those with the newest events first. `entity`: by name, each exactly once.'),
  })
  .refine(isOnePoint, ONE_POINT);
export type EntityListQuery = z.infer<typeof entityListQuery>;

export const entityList = pageOf(entityState.extend({ fields: payloadValues }))
  .extend(entityContext.shape)
  .describe('A page of entities in their state at one point in time, which the cursor keeps.');

export const entityCount = eventCount.describe(
  'How many entities match; an estimate if not all could be examined in time.',
);
export type EntityCount = z.infer<typeof entityCount>;

export const entityCountQuery = entityFilters.refine(isOnePoint, ONE_POINT);

export const entityExportQuery = entityFilters
  .extend({ format: exportQuery.shape.format, field })
  .refine(isOnePoint, ONE_POINT);
export type EntityExportQuery = z.infer<typeof entityExportQuery>;

export const changedEntitiesQuery = z.strictObject({
  from: entityChangesQuery.shape.from,
  to: entityChangesQuery.shape.to,
  kind: entityFilters.shape.kind,
  payload: entityFilters.shape.payload,
  limit: pageQuery.shape.limit,
  cursor,
});
export type ChangedEntitiesQuery = z.infer<typeof changedEntitiesQuery>;

const changedEntity = z
  .object({
    entity: entityKey,
    name: entityState.shape.name,
    change: z
      .enum(['created', 'changed', 'deleted', 'first_seen'])
      .describe('`first_seen`: nothing was known of it before, and no event in between created it.'),
    changes: z.array(valueChange).describe('The first 20 differences, by path.'),
    event_ids: z.array(eventId).describe('Its first 20 events in between, oldest first.'),
  })
  .describe('An entity that differs between two points in time.');

export type ChangedEntity = z.infer<typeof changedEntity>;

export const changedEntities = pageOf(changedEntity)
  .extend({ from: asOf, to: asOf })
  .describe('A page of the entities that differ between two points in time, newest change first.');

const knowledge = z
  .enum(['known', 'none', 'unknown'])
  .describe('`none`: the event created the entity. `unknown`: nothing is stored of what was before.');
export type Knowledge = z.infer<typeof knowledge>;

export const eventChanges = z
  .object({
    previous_event_id: eventId
      .nullable()
      .describe('The event that told the state before; null if there is none, or it was removed.'),
    previous: knowledge,
    late: z.boolean().describe('Whether a newer version of the record was known before.'),
    known_event_id: eventId
      .nullable()
      .describe('If it is late: the event that had told a newer version before; otherwise null.'),
    ...changes,
  })
  .describe('What an event changed in the record of its entity.');
export type EventChanges = z.infer<typeof eventChanges>;
