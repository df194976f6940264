import { z } from 'zod';
import { instant } from './primitives';

/**
 * `failing`: half or more of the latest 10 attempts failed, or all for 9 minutes, unless nothing is queued and that
 * was an hour ago. `offline`: no process takes the events of a listener, or its receiver refuses connections. `down`:
 * its circuit breaker is open. `blocked`: deliveries wait in a lane behind a dead letter. `behind`: what is due has been
 * waiting for more than a minute, apart from scheduled retries, although the target is neither paused nor offline nor
 * down. `active`: none of the others.
 */
const HEALTH_STATES = [
  'disabled',
  'paused',
  'offline',
  'down',
  'blocked',
  'failing',
  'behind',
  'active',
] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

export const targetHealth = z.object({
  /** All states that hold, the most important first. */
  states: z.array(z.enum(HEALTH_STATES)).min(1),
  /** Attempts in the last hour. */
  attempts: z.number().int(),
  /** Those that failed. */
  failed: z.number().int(),
  /**
   * 95 of 100 attempts in the last hour took at most this long, in ms, with an error of up to a tenth. Without
   * attempts before the start of the daemon; null if there were none since.
   */
  p95_ms: z.number().int().nullable(),
  /**
   * When a delivery last succeeded; null if none did in the last eight weeks. Before the start of the daemon, the
   * beginning of that minute, or of that hour if it is older than a day.
   */
  last_delivered_at: instant.nullable(),
  /** The latest attempt that failed, and how in words; null if none is known. */
  last_failure: z.object({ at: instant, sentence: z.string() }).nullable(),
});
export type TargetHealth = z.infer<typeof targetHealth>;
