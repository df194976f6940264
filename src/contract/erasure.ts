import { z } from 'zod';
import { actor } from './audit';
import { eventSummary } from './event';
import { given } from './given';
import { filter } from './filter';
import { entityKey, erasureId, eventId, instant, textOf } from './primitives';

const selection = {
  event_id: eventId.optional().describe('A single event.'),
  entity: entityKey.optional().describe('All events of this entity, such as `contact:42`.'),
  mentions: filter
    .optional()
    .describe(
      'With `entity`: also the events of others whose payload meets this filter: `{"data.contact_id": 42}`.',
    ),
};
type Selected = { [Name in keyof typeof selection]?: unknown };

const isOneOfBoth = ({ event_id: event, entity, mentions }: Selected) =>
  (event === undefined) !== (entity === undefined) && (mentions === undefined || entity !== undefined);
const ONE_OF_BOTH = {
  path: ['entity'],
  message: 'give either `event_id`, or `entity` with or without `mentions`',
};
const neither = { not: { anyOf: [given('event_id'), given('entity')] } };
const oneOfBothSchema = {
  not: { anyOf: [given('event_id', 'entity'), given('event_id', 'mentions'), neither] },
};

export const erasurePreviewQuery = z
  .strictObject(selection)
  .refine(isOneOfBoth, ONE_OF_BOTH)
  .meta(oneOfBothSchema)
  .describe('What to erase: an event, or an entity.');
export type ErasurePreviewQuery = z.infer<typeof erasurePreviewQuery>;

export const erasureCreate = z
  .strictObject({
    ...selection,
    reason: textOf(500, 1).describe('Why, as the record of the erasure shows it.'),
    until_seq: z
      .number()
      .int()
      .min(0)
      .describe('That of the preview: events that were stored later are not erased.'),
  })
  .refine(isOneOfBoth, ONE_OF_BOTH)
  .meta(oneOfBothSchema)
  .describe('What to erase, as it was previewed. It cannot be undone.');
export type ErasureCreate = z.infer<typeof erasureCreate>;

const remainingBackups = z
  .object({
    files: z
      .array(z.object({ file: z.string().describe('Its path.'), at: instant.describe('When it was made.') }))
      .describe('Newest first; only those that the hub makes itself.'),
    rotates_out_at: instant
      .nullable()
      .describe('When the last of them is replaced, if one is made each day; null without any.'),
  })
  .describe('Scheduled backups that still hold what was erased.');
export type RemainingBackups = z.infer<typeof remainingBackups>;

export const erasurePreview = z
  .object({
    until_seq: z.number().int().describe('Pass it on to erase exactly what was previewed.'),
    events: z.number().int().describe('The events of the entity, or 1.'),
    estimated: z.boolean().describe('Whether that is an estimate.'),
    mentioned: z
      .object({
        events: z.number().int().describe('How many match; those of the entity itself may be among them.'),
        estimated: z.boolean().describe('Whether that is an estimate.'),
        samples: z.array(eventSummary).describe('The newest of them.'),
      })
      .nullable()
      .describe('The events that `mentions` finds; null without it.'),
    states: z
      .number()
      .int()
      .describe(
        'States that are kept without an event, and records that repairs have read: of the entity, and those that `mentions` finds.',
      ),
    queued: z
      .number()
      .int()
      .describe(
        'Deliveries of the event, or of the events of the entity, that would be cancelled: queued ones and dead letters.',
      ),
    backups: remainingBackups,
  })
  .describe('What an erasure would erase.');
export type ErasurePreview = z.infer<typeof erasurePreview>;

export const erasure = z
  .object({
    id: erasureId,
    state: z
      .enum(['erasing', 'cleaning', 'done'])
      .describe(
        '`cleaning`: nothing shows it any more; what is left on the disk is removed, and an hour after receipt the hashes by which repeated notifications are recognized.',
      ),
    event_id: eventId
      .nullable()
      .describe('The event; null for an entity, and once retention has removed it.'),
    entity: entityKey.nullable().describe('The entity; null for an event.'),
    reason: z.string().describe('As it was given.'),
    requested_by: actor,
    until_seq: z.number().int().describe('The last event that it includes, by `seq`.'),
    total: z.number().int().describe('How many events the preview counted, perhaps as an estimate.'),
    events: z.number().int().describe('How many have been erased.'),
    cancelled: z.number().int().describe('Queued deliveries and dead letters that it ended.'),
    created_at: instant.describe('When it was requested.'),
    erased_at: instant.nullable().describe('When the last event was erased; null until then.'),
    ended_at: instant.nullable().describe('When nothing was left on the disk; null until then.'),
    backups: remainingBackups,
    sentence: z.string().describe('What it does not include.'),
  })
  .describe('An erasure and its progress.');
export type Erasure = z.infer<typeof erasure>;
