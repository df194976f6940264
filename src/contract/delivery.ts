import { z } from 'zod';
import { ATTEMPT_ERRORS, ENDINGS } from './constants';
import { pageQuery } from './page';
import {
  deliveryId,
  eventId,
  instant,
  instantQuery,
  jobId,
  numberQuery,
  replayId,
  targetId,
  textOf,
} from './primitives';
import { atMost } from './text-length';
import { given } from './given';

const DELIVERY_STATES = [
  'waiting',
  'pending',
  'in_flight',
  'retrying',
  'succeeded',
  'dead',
  'cancelled',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
const deliveryState = z
  .enum(DELIVERY_STATES)
  .describe(
    '`waiting`: behind an earlier delivery of its lane. `pending`: ready for its first attempt. `in_flight`: an attempt is in progress. `retrying`: waiting for its next attempt. `dead`: failed permanently, a dead letter. `cancelled`: discarded by an operator, or its target was deleted.',
  );

const DELIVERY_TRIGGERS = ['live', 'manual', 'replay', 'test'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];
const deliveryTrigger = z
  .enum(DELIVERY_TRIGGERS)
  .describe(
    'Why the delivery was created: the event arrived (`live`), it was sent manually, replayed, or is a test.',
  );

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export type Ending = (typeof ENDINGS)[number];

const DELIVERY_ERRORS = [...ATTEMPT_ERRORS, ...ENDINGS] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];
const deliveryError = z
  .enum(DELIVERY_ERRORS)
  .describe('How the last attempt failed, or what ended the delivery without another one.');

export const attempt = z
  .object({
    number: z.number().int().describe('From 1.'),
    at: instant.describe('When it started.'),
    duration_ms: z.number().int().describe('Until the status arrived or the attempt failed.'),
    status: z.number().int().nullable().describe('HTTP status; null without a response.'),
    error: z.enum(ATTEMPT_ERRORS).nullable().describe('Null if the attempt succeeded.'),
    excerpt: z
      .string()
      .nullable()
      .describe('The first 1,024 bytes of the response body, with secrets masked; null if there was none.'),
    transform: z
      .number()
      .int()
      .nullable()
      .describe("The version of the target's expression that made the body; null if it was the event's."),
  })
  .describe('One request to the target.');
export type Attempt = z.infer<typeof attempt>;

export const delivery = z
  .object({
    id: deliveryId,
    event_id: eventId,
    event_seq: z.number().int().describe("The event's position in commit order."),
    event_type: z.string().describe('The type of the event.'),
    entity: z
      .string()
      .nullable()
      .describe('The deal, contact or task of the event, such as `deal:42`; null if it has none.'),
    entity_name: z.string().nullable().describe('The `name` or `title` in the payload of the event.'),
    target_id: targetId,
    target_name: z.string().describe('The name of the target.'),
    state: deliveryState,
    trigger: deliveryTrigger,
    replay_id: replayId.nullable().describe('The replay that created it, if any.'),
    lane: z
      .string()
      .nullable()
      .describe(
        'Deliveries of the same lane are sent one after another; null if the target does not require an order.',
      ),
    edited: z.boolean().describe("It sends another payload than the event's."),
    out_of_order: z
      .boolean()
      .describe('Sent manually outside the lanes of its target, so it may be sent before or after others.'),
    blocks_lane: z.boolean().describe('It is dead and blocks its lane until it is retried or discarded.'),
    attempt_count: z.number().int().describe('Finished attempts.'),
    last_status: z
      .number()
      .int()
      .nullable()
      .describe('HTTP status of the last attempt; null without a response.'),
    last_error: deliveryError.nullable(),
    created_at: instant.describe('When it was created.'),
    due_at: instant.nullable().describe('When the next attempt is due; null if none is scheduled.'),
    finished_at: instant
      .nullable()
      .describe('When it was delivered, failed permanently or was cancelled; null until then.'),
    note: z.string().nullable().describe('Why it is dead or cancelled.'),
  })
  .describe('One event for one target, with all its attempts.');
export type Delivery = z.infer<typeof delivery>;

export const deliveryDetail = delivery
  .extend({ attempts: z.array(attempt).describe('Its attempts, oldest first.') })
  .describe('A delivery with its attempts, oldest first.');
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

const filters = {
  target: targetId.optional().describe('Only those for this target.'),
  event: eventId.optional().describe('Only those of this event.'),
  type: textOf(200).optional().describe('Type of the event: `deal.created`, or `deal.*`.'),
  error: z
    .union([deliveryError, z.string().regex(/^[1-5]\d\d$/, 'a status')])
    .optional()
    .describe(
      'How the last attempt failed, its HTTP status, or what ended the delivery without another attempt.',
    ),
  since: instantQuery.optional().describe('When the delivery was created.'),
  until: instantQuery.optional().describe('Until when it was created, exclusive.'),
};

export const deliveryQuery = pageQuery.extend({
  ...filters,
  status: deliveryState.optional().describe('Only those in this state.'),
});
export type DeliveryQuery = z.infer<typeof deliveryQuery>;

/** A selection of dead letters: either `ids`, filters, or `all`. */
const deadLetters = {
  ids: z.array(deliveryId).min(1).max(1_000).optional().describe('These deliveries.'),
  ...filters,
  all: z.boolean().optional().describe('All of them.'),
  failed_until: instantQuery
    .optional()
    .describe(
      'Only those that had failed by then, such as `last_failed_at` of a cause: no other than those that were counted.',
    ),
};
export const DEAD_LETTER_CONDITIONS = ['ids', ...Object.keys(filters)];

const notBoth = (selection: object) =>
  !('ids' in selection) || !Object.keys(filters).some((name) => name in selection);
const NOT_BOTH = 'either ids or filters, not both';
const anyFilter = Object.keys(filters).map((name) => given(name));
const notBothSchema = { not: { ...given('ids'), anyOf: anyFilter } };

const reason = z
  .string()
  .trim()
  .min(1)
  .refine(...atMost(500))
  .meta({ maxLength: 500, pattern: '\\S' })
  .describe('Why dead letters are discarded; recorded in the audit log and on the deliveries.');

export const discard = z.strictObject({ reason }).describe('Why a dead letter is discarded.');
export type Discard = z.infer<typeof discard>;

export const retryDead = z
  .strictObject(deadLetters)
  .refine(notBoth, NOT_BOTH)
  .meta(notBothSchema)
  .describe('Which dead letters to retry.');
export type RetryDead = z.infer<typeof retryDead>;

export const discardDead = z
  .strictObject({ reason, ...deadLetters })
  .refine(notBoth, NOT_BOTH)
  .meta(notBothSchema)
  .describe('Which dead letters to discard, and why.');
export type DiscardDead = z.infer<typeof discardDead>;

export const deliveryJob = z
  .object({
    id: jobId,
    action: z.enum(['retry', 'discard']).describe('What it does.'),
    state: z.enum(['running', 'done', 'cancelled']).describe('How far it is.'),
    reason: z.string().nullable().describe('Of a discard; null for a retry.'),
    total: z.number().int().describe('How many dead letters matched when it started.'),
    done: z.number().int().describe('How many of them have been processed.'),
    created_at: instant.describe('When it was started.'),
    ended_at: instant.nullable().describe('Null while it is running.'),
  })
  .describe('A retry or discard of many dead letters, which runs in the background.');
export type DeliveryJob = z.infer<typeof deliveryJob>;

export const sentBodyQuery = z
  .strictObject({
    attempt: numberQuery(1).optional().describe('Its number; by default the last one.'),
  })
  .describe('Which attempt.');
export type SentBodyQuery = z.infer<typeof sentBodyQuery>;
