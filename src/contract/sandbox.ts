import { z } from 'zod';
import { EVENT_TYPES } from '../protocol/event-types';

const faultState = z
  .union([z.boolean(), z.number().int().min(1).max(1_000_000)])
  .describe('`false`: off; `true`: on until turned off; a number: on for that many times.');

export const sandbox = z
  .object({
    traffic: z
      .object({
        events_per_second: z.number().describe('Rate of generated events.'),
        is_paused: z.boolean().describe('While true, no events are generated.'),
      })
      .describe('What it sends by itself.'),
    faults: z.record(z.string(), faultState).describe('All faults by their names in `docs/sandbox.md`.'),
  })
  .describe("State of the demo's sandbox.");
export type Sandbox = z.infer<typeof sandbox>;

export const sandboxTrafficChanges = z
  .strictObject({
    events_per_second: z.number().min(0).max(10_000).describe('Rate of generated events.'),
    is_paused: z.boolean().describe('While true, no events are generated.'),
    burst: z.number().int().min(1).max(10_000).describe('Sends this many events now, even while paused.'),
  })
  .partial()
  .describe('Changes of the traffic settings.');
export type SandboxTrafficChanges = z.infer<typeof sandboxTrafficChanges>;

export const sandboxFaultChanges = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), faultState)
  .describe('Changes of faults by name.');
export type SandboxFaultChanges = z.infer<typeof sandboxFaultChanges>;

export const sandboxEvent = z
  .strictObject({
    type: z.enum(EVENT_TYPES).describe('The type of the event.'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Sent exactly as given; by default a generated record.'),
  })
  .describe('An event to send.');
export type SandboxEvent = z.infer<typeof sandboxEvent>;

export const sandboxEmitted = z
  .object({
    type: z.string().describe('The type of the event.'),
    webhooks: z.number().int().describe('Number of webhooks that it was sent to; 0 if none lists its type.'),
  })
  .describe('The event that was sent.');
export type SandboxEmitted = z.infer<typeof sandboxEmitted>;
