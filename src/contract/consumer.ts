import { z } from 'zod';
import { actor } from './audit';
import { followingEvents, MAX_WAIT_S } from './event';
import { filter } from './filter';
import { reader } from './problem';
import {
  entityKey,
  eventId,
  eventPattern,
  eventPosition,
  instant,
  instantQuery,
  payloadText,
  textOf,
} from './primitives';

/** Which events a consumer reads: by all of these that are set. */
const selection = {
  types: z
    .array(eventPattern)
    .min(1)
    .max(50)
    .nullable()
    .describe("Event types or patterns, as `events` of a target; null: all of Co-Pilot's events."),
  entity: entityKey.nullable(),
  payload: filter.nullable().describe('Conditions on the payload, as `filter` of a target.'),
  q: payloadText.nullable(),
};

const consumerStart = z
  .union([eventPosition, instantQuery])
  .describe('`oldest`, `newest`, an event id, a seq, or a time: from the first event received then.');
export type ConsumerStart = z.infer<typeof consumerStart>;

export const consumerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'lowercase letters, digits, _ . and -')
  .describe('The name of the consumer.');

export const consumerCreate = z
  .strictObject({
    name: consumerName,
    types: selection.types.default(null),
    entity: selection.entity.default(null),
    payload: selection.payload.default(null),
    q: selection.q.default(null),
    start: consumerStart
      .default('newest')
      .describe('Where to start: `oldest`, `newest`, an event id, a seq, or a time.'),
  })
  .describe('A new consumer: a named position that the hub keeps.');
export type ConsumerCreate = z.infer<typeof consumerCreate>;

export const consumerChange = z
  .strictObject(selection)
  .partial()
  .describe('Which events it reads from its position on.');
export type ConsumerChange = z.infer<typeof consumerChange>;

export const consumer = z
  .object({
    name: consumerName,
    ...selection,
    position: eventId
      .nullable()
      .describe(
        'Everything up to it was committed; null before the first commit if it starts with the oldest event.',
      ),
    lag: z.number().int().describe('Events that are stored behind the position, whether they match or not.'),
    missed: z
      .number()
      .int()
      .describe('Events that were removed behind the position, unread. They must be accepted by a reset.'),
    oldest_unread_at: instant.nullable().describe('When the oldest event behind the position was received.'),
    prune_at: instant
      .nullable()
      .describe('When retention removes that event because of its age, as an estimate; null if it does not.'),
    lease: reader.nullable().describe('Who reads it at present.'),
    created_by: actor.describe('Who created it.'),
    created_at: instant.describe('When it was created.'),
    last_read_at: instant.nullable().describe('When it was last read; null if never.'),
    idle: z.boolean().describe('Whether it was not read for 30 days.'),
  })
  .describe('A consumer and where it stands.');
export type Consumer = z.infer<typeof consumer>;

export const consumerRead = z
  .strictObject({
    wait: z
      .number()
      .int()
      .min(0)
      .max(MAX_WAIT_S)
      .default(0)
      .describe('If there is nothing, the response waits up to this time, in seconds.'),
    limit: z.number().int().min(1).max(200).default(50).describe('How many events to read at most.'),
    include: z.literal('body').optional().describe('The payloads too.'),
    lease: textOf(100)
      .optional()
      .describe('The one that an earlier read has returned; without it, this read takes one.'),
    lease_s: z
      .number()
      .int()
      .min(10)
      .max(600)
      .default(60)
      .describe('How long the lease lasts after a read or commit, in seconds.'),
    after: eventPosition.optional().describe('Reads ahead: what follows this position instead.'),
    take_over: z.boolean().default(false).describe('Ends the lease of another reader.'),
  })
  .describe('Reads what follows the committed position.');
export type ConsumerRead = z.infer<typeof consumerRead>;

export const consumerEvents = followingEvents
  .extend({
    lease: z.string().describe('For the next read, and the commit.'),
    lease_until: instant.describe('When the lease ends.'),
  })

  .describe('What follows the position, for the reader with this lease.');
export type ConsumerEvents = z.infer<typeof consumerEvents>;

export const consumerCommit = z
  .strictObject({
    lease: textOf(100).describe('The lease that a read has returned.'),
    position: z
      .string()
      .regex(/^(\d{1,12}|evt_[0-9a-z]{26})$/, 'an event id or a seq')
      .describe('Everything up to it is done: an event id, a `next_cursor` or a seq.'),
  })
  .describe('Everything up to the position, an event id, a `next_cursor` or a seq, is done.');
export type ConsumerCommit = z.infer<typeof consumerCommit>;

export const consumerCommitted = z
  .object({
    position: eventId.describe('The id of the event up to which everything is done.'),
    lease_until: instant.describe('When the lease ends.'),
  })
  .describe('The committed position.');
export type ConsumerCommitted = z.infer<typeof consumerCommitted>;

export const consumerRelease = consumerCommit
  .omit({ position: true })
  .describe('The reader ends: another one may have the lease at once.');
export type ConsumerRelease = z.infer<typeof consumerRelease>;

export const consumerReset = z
  .strictObject({
    position: consumerStart.describe('Where to continue: `oldest`, `newest`, an event id, a seq, or a time.'),
  })
  .describe('Continues from another position, and accepts what was lost.');
export type ConsumerReset = z.infer<typeof consumerReset>;
