import { z } from 'zod';
import { eventPattern, repeatable } from './primitives';

export const payloadFieldsQuery = z
  .object({
    type: repeatable(eventPattern).describe(
      "Of events of these types or patterns; repeatable. By default all of Co-Pilot's.",
    ),
  })
  .describe('Of which events; without it, of all Co-Pilot events.');
export type PayloadFieldsQuery = z.infer<typeof payloadFieldsQuery>;

const FIELD_KINDS = ['string', 'number', 'boolean', 'null'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** Each is described, because then the document has four schemas and not a list of types, which few generators know. */
export const payloadScalar = z
  .union([
    z.string().describe('A text.'),
    z.number().describe('A number.'),
    z.boolean().describe('True or false.'),
    z.null().describe('Null.'),
  ])
  .describe('A value of a payload that is neither an object nor a list.');

const payloadField = z
  .object({
    path: z.string().describe('As in a filter: `data.status_id`.'),
    kinds: z.array(z.enum(FIELD_KINDS)).describe('The types of its values.'),
    events: z.number().int().describe('How many of the checked events have it; 0 if only earlier ones had.'),
    samples: z
      .array(payloadScalar)
      .describe('The newest different values, at most five; long texts are left out.'),
  })
  .describe('A field that occurs in payloads, for conditions of a filter.');
export type PayloadField = z.infer<typeof payloadField>;

export const payloadFields = z
  .object({
    checked: z.number().int().describe('How many of the newest events were read.'),
    fields: z
      .array(payloadField)
      .describe('In the order in which payloads have them, those of earlier events last.'),
  })
  .describe('Fields of payloads, for the conditions of a filter.');
export type PayloadFields = z.infer<typeof payloadFields>;
