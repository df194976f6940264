import { z } from 'zod';
import { daemonId, instant, targetId } from './primitives';

/** A daemon that uses the database. */
export const daemon = z.object({
  id: daemonId,
  /** Where the other daemons reach it; empty while it starts. */
  address: z.string(),
  version: z.string(),
  /** The end of its lease. */
  alive_until: instant,
  /**
   * Whether its lease runs, by the time of the database. Otherwise it is dead, frozen, or cannot reach the database.
   */
  alive: z.boolean(),
  /** Whether it does everything but receive notifications and deliver, which all do. */
  leader: z.boolean(),
  /** How many targets it delivers to. */
  targets: z.number().int(),
  /** Which. */
  target_ids: z.array(targetId),
});

/** The daemon running longest first. */
export const daemons = z.array(daemon);
export type DaemonEntry = z.infer<typeof daemon>;
export type DaemonList = z.infer<typeof daemons>;
