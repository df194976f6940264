import { z } from 'zod';
import { instant } from './primitives';

/** The process that connects for a listener. */
export const listenerState = z.object({
  connected: z.boolean().describe('Whether a process is connected.'),
  since: instant
    .nullable()
    .describe('Since when it has been connected, or not; null before the first connection.'),
  address: z
    .string()
    .nullable()
    .describe('The remaining fields are those of the latest connection; null before the first one.'),
  version: z.string().nullable().describe('The version of the process.'),
  forward_to: z.string().nullable().describe('Where the process forwards events to, as it says.'),
  token: z.string().nullable().describe('The name of its API token; null if it has another login.'),
  ephemeral: z.boolean().describe('Whether it is removed with its process.'),
});
export type ListenerState = z.infer<typeof listenerState>;
