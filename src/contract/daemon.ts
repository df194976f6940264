import { z } from 'zod';
import { daemonId, instant, targetId } from './primitives';

export const daemon = z
  .object({
    id: daemonId,
    address: z.string().describe('Where the other daemons reach it; empty while it starts.'),
    version: z.string().describe('Its version.'),
    alive_until: instant.describe('The end of its lease.'),
    alive: z
      .boolean()
      .describe(
        'Whether its lease runs, by the time of the database. Otherwise it is dead, frozen, or cannot reach the database.',
      ),
    leader: z
      .boolean()
      .describe('Whether it does everything but receive notifications and deliver, which all do.'),
    targets: z.number().int().describe('How many targets it delivers to.'),
    target_ids: z.array(targetId).describe('Which.'),
  })
  .describe('A daemon that uses the database.');

export const daemons = z
  .array(daemon)

  .describe('The daemon running longest first.');
export type DaemonEntry = z.infer<typeof daemon>;
export type DaemonList = z.infer<typeof daemons>;
