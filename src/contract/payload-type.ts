import { z } from 'zod';
import { eventId, eventPattern, instant, numberQuery, repeatable, textOf } from './primitives';

/** What was seen at one path of payloads. */
export interface PayloadNode {
  /** How many values had each JSON type; an integer is no number here. */
  types: Record<string, number>;
  /** The part of the parent objects with this member. */
  share: number;
  required: boolean;
  formats?: string[];
  values?: (string | number)[];
  range?: [min: number, max: number];
  properties?: Record<string, PayloadNode>;
  map?: PayloadNode;
  items?: PayloadNode;
  first_seq: number;
  last_seq: number;
}

const summary = {
  type: z.string().describe('The event type.'),
  state: z
    .enum(['learning', 'stable', 'changed'])
    .describe(
      '`learning` until 50 events or 24 hours were seen; `changed` after a new version, until that is accepted, or for 7 days.',
    ),
  version: z.number().int().nullable().describe('The number of its version; null while it is learning.'),
  version_at: instant.nullable().describe('When that version was made; null while it is learning.'),
  events: z.number().int().describe('How many were stored since the first one here.'),
  examined: z.number().int().describe('How many of them were examined; fewer if many arrive.'),
  truncated: z.boolean().describe('Whether there are more paths than can be kept.'),
  first_seen_at: instant.describe('When the first examined event was received.'),
  last_seen_at: instant.describe('When the last examined event was received.'),
};

const paths = (what: string) =>
  z.array(textOf(2_000, 1)).max(100).describe(`Paths, written as in changes: ${what}.`);

export const payloadOverrides = z
  .strictObject({
    maps: paths('objects whose keys are data'),
    objects: paths('objects whose keys are names, whatever they look like'),
    ignore: paths('what is not examined; what was learned of it is forgotten'),
    enums: paths('values that are an enumeration, part of the type in exports'),
  })
  .describe('What an operator has decided about paths.');
export type PayloadOverrides = z.infer<typeof payloadOverrides>;

export const payloadOverridesChange = payloadOverrides
  .partial()
  .describe('Lists that replace the present ones; the others stay.');
export type PayloadOverridesChange = z.infer<typeof payloadOverridesChange>;

export const payloadType = z
  .object({
    ...summary,
    overrides: payloadOverrides,
    root: z
      .record(z.string(), z.unknown())
      .describe(
        'The payload as a tree: `types` with counts, `share`, `required`, and where they apply `formats`, `values`, `range`, `properties`, `map` (what all members have in common), `items`, `first_seq`, `last_seq`.',
      ),
  })
  .describe('What the payloads of one event type look like. It has no values except words of a vocabulary.');
export type PayloadType = z.infer<typeof payloadType>;

export const payloadTypes = z
  .object({
    data: z.array(z.object(summary)).describe('By type.'),
    watching: z
      .boolean()
      .describe('Whether new events are examined; false if it is switched off or has failed.'),
  })
  .describe('The event types whose payloads were examined.');
export type PayloadTypes = z.infer<typeof payloadTypes>;

export const payloadVersionQuery = z
  .strictObject({
    version: numberQuery(1)
      .optional()
      .describe('The number of a version. By default what was learned until now.'),
  })
  .describe('Which version.');
export type PayloadVersionQuery = z.infer<typeof payloadVersionQuery>;

const payloadChange = z
  .object({
    path: z
      .string()
      .describe(
        'Where, as in a filter: `data.status_id`. Elements of an array are `data.tags[]`, all members of a map `data.custom.*`.',
      ),
    change: z
      .enum(['added', 'type_added', 'missing', 'gone', 'map'])
      .describe(
        '`missing`: it was required, and an event lacks it. `gone`: it has not occurred for 7 days and 1,000 events. `map`: the keys of an object are data.',
      ),
    before: z
      .string()
      .nullable()
      .describe('What it was: its types, `required`, or `object`; null if it is new.'),
    after: z.string().nullable().describe('What it is now: its types, `optional`, or `map`; null if gone.'),
    event_id: eventId
      .nullable()
      .describe('The first event with the change; null if it is removed, or if no event says so.'),
  })
  .describe('A difference between two versions.');
export type PayloadChange = z.infer<typeof payloadChange>;

export const payloadTypeVersions = z
  .object({
    data: z
      .array(
        z.object({
          version: z.number().int().describe('From 1.'),
          created_at: instant.describe('When it was made.'),
          accepted_at: instant.nullable().describe('When an operator accepted it; null before.'),
          changes: z.array(payloadChange).describe('From the version before; none for the first one.'),
        }),
      )
      .describe('Newest first, at most 20.'),
  })
  .describe('How the payloads of an event type have changed.');
export type PayloadTypeVersions = z.infer<typeof payloadTypeVersions>;

export const payloadTypeQuery = z
  .strictObject({
    format: z
      .enum(['typescript', 'json_schema', 'asyncapi'])
      .default('typescript')
      .describe('The language of the export.'),
    type: repeatable(eventPattern).describe('Event types or patterns; repeatable. By default all.'),
  })
  .describe('What to export, and in which language.');
export type PayloadTypeQuery = z.infer<typeof payloadTypeQuery>;
