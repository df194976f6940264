import { z } from 'zod';
import { EVENT_TYPES } from '../protocol/event-types';

/** Off, on until it is turned off, or on for the next so many times. */
const faultState = z.union([z.boolean(), z.number().int().min(1).max(1_000_000)]);

/** What the demo's sandbox does, as the sandbox itself tells it. */
export const sandbox = z.object({
  traffic: z.object({
    events_per_second: z.number(),
    /** While true nothing happens by itself. */
    is_paused: z.boolean(),
  }),
  /** Every fault that it knows, by its name in `docs/sandbox.md`. */
  faults: z.record(z.string(), faultState),
});
export type Sandbox = z.infer<typeof sandbox>;

export const sandboxTraffic = z
  .strictObject({
    events_per_second: z.number().min(0).max(10_000),
    is_paused: z.boolean(),
    /** So many events now, paused or not. */
    burst: z.number().int().min(1).max(10_000),
  })
  .partial();
export type SandboxTraffic = z.infer<typeof sandboxTraffic>;

export const sandboxFaults = z.record(z.string().regex(/^[a-z0-9_]{1,40}$/), faultState);
export type SandboxFaults = z.infer<typeof sandboxFaults>;

export const sandboxEvent = z.strictObject({
  type: z.enum(EVENT_TYPES),
  /** Exactly this; left out, what is believable. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type SandboxEvent = z.infer<typeof sandboxEvent>;

export const sandboxEmitted = z.object({
  type: z.string(),
  /** How many webhooks it was sent to: none where none lists its type. */
  webhooks: z.number().int(),
});
export type SandboxEmitted = z.infer<typeof sandboxEmitted>;
