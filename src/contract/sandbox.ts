import { z } from 'zod';
import { EVENT_TYPES } from '../protocol/event-types';

/** `false`: off; `true`: on until turned off; a number: on for that many times. */
const faultState = z.union([z.boolean(), z.number().int().min(1).max(1_000_000)]);

/** State of the demo's sandbox. */
export const sandbox = z.object({
  traffic: z.object({
    /** Rate of generated events. */
    events_per_second: z.number(),
    /** While true, no events are generated. */
    is_paused: z.boolean(),
  }),
  /** All faults by their names in `docs/sandbox.md`. */
  faults: z.record(z.string(), faultState),
});
export type Sandbox = z.infer<typeof sandbox>;

/** Changes of the traffic settings. */
export const sandboxTraffic = z
  .strictObject({
    events_per_second: z.number().min(0).max(10_000),
    is_paused: z.boolean(),
    /** Sends this many events now, even while paused. */
    burst: z.number().int().min(1).max(10_000),
  })
  .partial();
export type SandboxTraffic = z.infer<typeof sandboxTraffic>;

/** Changes of faults by name. */
export const sandboxFaults = z.record(z.string().regex(/^[a-z0-9_]{1,40}$/), faultState);
export type SandboxFaults = z.infer<typeof sandboxFaults>;

/** An event to send. */
export const sandboxEvent = z.strictObject({
  type: z.enum(EVENT_TYPES),
  /** Sent exactly as given; by default a generated record. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type SandboxEvent = z.infer<typeof sandboxEvent>;

/** The event that was sent. */
export const sandboxEmitted = z.object({
  type: z.string(),
  /** Number of webhooks that it was sent to; 0 if none lists its type. */
  webhooks: z.number().int(),
});
export type SandboxEmitted = z.infer<typeof sandboxEmitted>;
