import { z } from 'zod';
import { TARGET_FORMATS } from './constants';
import { eventId, targetId, textOf } from './primitives';
import { commonFields, inputFields } from './target';
import { given } from './given';

export const targetTest = z
  .strictObject({
    url: commonFields.url,
    format: commonFields.format.default('json'),
    policy: inputFields.policy.default({}),
    headers: inputFields.headers.default([]),
    tls: inputFields.tls.default(null),
    signature: commonFields.signature.optional(),
    ed25519: commonFields.ed25519.optional(),
    transform: inputFields.transform.optional(),
    target_id: targetId
      .optional()
      .describe(
        'Omitted values (secret headers, key, signing secret) are taken from this target, if the origin is the same. Otherwise the test is signed with a random secret.',
      ),
    event_id: eventId
      .optional()
      .describe('Sends the payload of this event, under the id of a sample; otherwise a made-up payload.'),
  })
  .describe('Settings to test before they are saved.');
export type TargetTest = z.infer<typeof targetTest>;

export const targetSample = z
  .strictObject({
    event_id: eventId.optional().describe('The payload of this event, under the id of a sample.'),
    type: textOf(200, 1).optional().describe('The type of a notification with `data`, or of `raw`.'),
    data: z.unknown().optional().describe('The `data` of a notification of this type.'),
    raw: z.string().optional().describe('The whole body, sent as is.'),
  })
  .refine(
    ({ event_id: event, type, data, raw }) => event === undefined || (type ?? data ?? raw) === undefined,
    {
      path: ['event_id'],
      error: 'cannot be combined with `type`, `data` or `raw`',
    },
  )
  .refine(({ data, raw }) => data === undefined || raw === undefined, {
    path: ['raw'],
    error: 'cannot be combined with `data`',
  })
  .meta({
    not: {
      anyOf: [
        given('event_id', 'type'),
        given('event_id', 'data'),
        given('event_id', 'raw'),
        given('data', 'raw'),
      ],
    },
  })
  .default({})
  .describe('What a test sends, unless it is a message: by default a made-up notification.');
export type TargetSample = z.infer<typeof targetSample>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const matchRequest = z
  .strictObject({
    type: textOf(200, 1).describe('The type of the event.'),
    raw: z
      .string()
      .refine(isJson, 'must be JSON')
      .meta({ contentMediaType: 'application/json' })
      .describe('The whole body, JSON.'),
  })
  .describe('A notification that does not exist: its type, and its whole body.');
export type MatchRequest = z.infer<typeof matchRequest>;

export const targetMatches = z
  .object({
    targets: z
      .array(
        z.object({
          target_id: targetId,
          name: z.string().describe('The name of the target.'),
          reason: z.string().nullable().describe('Why it would not; null if it would.'),
        }),
      )
      .describe('All targets.'),
  })
  .describe('Which targets would receive it.');
export type TargetMatches = z.infer<typeof targetMatches>;

export const messagePreviewQuery = z
  .strictObject({
    format: z.enum(TARGET_FORMATS).exclude(['json']).describe('The format of the message.'),
    state: z
      .enum(['raised', 'repeated', 'resolved'])
      .default('raised')
      .describe('What has happened to the alert.'),
  })
  .describe('Which message to show: about an alert that is raised, raised again or resolved.');
export type MessagePreviewQuery = z.infer<typeof messagePreviewQuery>;

export const messagePreview = z
  .object({
    headers: z.record(z.string(), z.string()).describe('Request headers, or header fields of an e-mail.'),
    body: z.string().describe('The body.'),
  })
  .describe('A message as it is sent, with secrets masked.');
export type MessagePreview = z.infer<typeof messagePreview>;

export const testOutcome = z
  .object({
    delivered: z.boolean().describe('Whether the response counts as delivered.'),
    status: z.number().int().nullable().describe('HTTP status; null without a response.'),
    error: z.string().nullable().describe('Why it failed; null if it was delivered.'),
    duration_ms: z.number().int().describe('How long it took.'),
    excerpt: z
      .string()
      .nullable()
      .describe('The first 1,024 bytes of the response body, with secrets masked; null if there was none.'),
  })
  .describe('Result of a test delivery.');
export type TestOutcome = z.infer<typeof testOutcome>;
