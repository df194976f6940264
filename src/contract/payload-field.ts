import { z } from 'zod';
import { eventPattern, repeatable } from './primitives';

/** Of which events; without it, of all Co-Pilot events. */
export const payloadFieldsQuery = z.object({ type: repeatable(eventPattern) });
export type PayloadFieldsQuery = z.infer<typeof payloadFieldsQuery>;

const FIELD_KINDS = ['string', 'number', 'boolean', 'null'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A field that occurs in payloads, for conditions of a filter. */
const payloadField = z.object({
  /** As in a filter: `data.status_id`. */
  path: z.string(),
  kinds: z.array(z.enum(FIELD_KINDS)),
  /** How many of the checked events have it. */
  events: z.number().int(),
  /** The newest different values, at most five; long texts are left out. */
  samples: z.array(scalar),
});
export type PayloadField = z.infer<typeof payloadField>;

export const payloadFields = z.object({
  /** How many of the newest events were read. */
  checked: z.number().int(),
  /** In the order in which payloads have them. */
  fields: z.array(payloadField),
});
export type PayloadFields = z.infer<typeof payloadFields>;
