import { z } from 'zod';
import { instant, targetId } from './primitives';

/** An event type, or a pattern: `*` stands for any run of characters (`deal.*`, `*`). */
const eventGlob = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_.*-]+$/i, 'letters, digits, dot, underscore, hyphen and *');

const editable = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^[^=,]*$/, 'a name has no = and no comma'),
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }).max(2_000),
  events: z.array(eventGlob).min(1).max(50),
  enabled: z.boolean(),
};

export const targetCreate = z.strictObject({
  ...editable,
  events: editable.events.default(['*']),
  enabled: editable.enabled.default(true),
});
export type TargetCreate = z.infer<typeof targetCreate>;

export const targetPatch = z.strictObject(editable).partial();
export type TargetPatch = z.infer<typeof targetPatch>;

export const target = z.object({
  id: targetId,
  ...editable,
  paused: z.object({ at: instant, reason: z.string() }).nullable(),
  backlog: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    oldest_at: instant.nullable(),
  }),
  created_at: instant,
  updated_at: instant,
});
export type Target = z.infer<typeof target>;

/** The secret that signs what the target gets (Standard Webhooks, `whsec_…`) is shown once, when the target is made. */
export const targetCreated = target.extend({ secret: z.string() });
export type TargetCreated = z.infer<typeof targetCreated>;

export const testOutcome = z.object({
  delivered: z.boolean(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  duration_ms: z.number().int(),
  excerpt: z.string().nullable(),
});
export type TestOutcome = z.infer<typeof testOutcome>;
