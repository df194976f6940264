import { z } from 'zod';
import { TARGET_FORMATS } from './constants';
import { eventId, targetId } from './primitives';

/** What a test sends, unless it is a message: by default a made-up notification. */
export const targetSample = z
  .strictObject({
    /** The payload of this event, under the id of a sample. */
    event_id: eventId.optional(),
    /** The type of a notification with `data`, or of `raw`. */
    type: z.string().min(1).max(200).optional(),
    data: z.unknown().optional(),
    /** The whole body, sent as is. */
    raw: z.string().optional(),
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
  .default({});
export type TargetSample = z.infer<typeof targetSample>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A notification that does not exist: its type, and its whole body. */
export const matchRequest = z.strictObject({
  type: z.string().min(1).max(200),
  raw: z.string().refine(isJson, 'must be JSON'),
});
export type MatchRequest = z.infer<typeof matchRequest>;

/** Which targets would receive it. */
export const targetMatches = z.object({
  targets: z.array(
    z.object({
      target_id: targetId,
      name: z.string(),
      /** Why it would not; null if it would. */
      reason: z.string().nullable(),
    }),
  ),
});
export type TargetMatches = z.infer<typeof targetMatches>;

/** Which message to show: about an alert that is raised, raised again or resolved. */
export const messagePreviewQuery = z.strictObject({
  format: z.enum(TARGET_FORMATS).exclude(['json']),
  state: z.enum(['raised', 'repeated', 'resolved']).default('raised'),
});
export type MessagePreviewQuery = z.infer<typeof messagePreviewQuery>;

/** A message as it is sent, with secrets masked. */
export const messagePreview = z.object({
  /** Request headers, or header fields of an e-mail. */
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type MessagePreview = z.infer<typeof messagePreview>;

/** Result of a test delivery. */
export const testOutcome = z.object({
  /** Whether the response counts as delivered. */
  delivered: z.boolean(),
  /** HTTP status; null without a response. */
  status: z.number().int().nullable(),
  /** Why it failed; null if it was delivered. */
  error: z.string().nullable(),
  duration_ms: z.number().int(),
  /** The first 1,024 bytes of the response body, with secrets masked; null if there was none. */
  excerpt: z.string().nullable(),
});
export type TestOutcome = z.infer<typeof testOutcome>;
