import { z } from 'zod';
import { eventPattern, instant, repeatable } from './primitives';

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
  state: z.enum(['learning', 'stable']).describe('`learning` until 50 events or 24 hours were seen.'),
  events: z.number().int().describe('How many were stored since the first one here.'),
  examined: z.number().int().describe('How many of them were examined; fewer if many arrive.'),
  truncated: z.boolean().describe('Whether there are more paths than can be kept.'),
  first_seen_at: instant.describe('When the first examined event was received.'),
  last_seen_at: instant.describe('When the last examined event was received.'),
};

export const payloadType = z
  .object({
    ...summary,
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

export const payloadTypeQuery = z
  .strictObject({
    format: z
      .enum(['typescript', 'json_schema'])
      .default('typescript')
      .describe('The language of the export.'),
    type: repeatable(eventPattern).describe('Event types or patterns; repeatable. By default all.'),
  })
  .describe('What to export, and in which language.');
export type PayloadTypeQuery = z.infer<typeof payloadTypeQuery>;
