import { z } from 'zod';
import { instant } from './primitives';

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
const healthState = z
  .enum(HEALTH_STATES)
  .describe(
    '`failing`: half or more of the latest 10 attempts failed, or all of two or more for a minute, unless nothing is queued and that was an hour ago. `offline`: no process takes the events of a listener, or its receiver refuses connections. `down`: its circuit breaker is open. `blocked`: deliveries wait in a lane behind a dead letter. `behind`: what is due has been waiting for more than a minute, apart from scheduled retries, although the target is neither paused nor offline nor down. `active`: none of the others.',
  );

export const targetHealth = z
  .object({
    states: z.array(healthState).min(1).describe('All states that hold, the most important first.'),
    attempts: z.number().int().describe('Attempts in the last hour.'),
    failed: z.number().int().describe('Those that failed.'),
    p95_ms: z
      .number()
      .int()
      .nullable()
      .describe(
        '95 of 100 attempts in the last hour took at most this long, in ms, with an error of up to a tenth. Without attempts before the start of the daemon; null if there were none since.',
      ),
    last_delivered_at: instant
      .nullable()
      .describe(
        'When a delivery last succeeded; null if none did in the last eight weeks. Before the start of the daemon, the beginning of that minute, or of that hour if it is older than a day.',
      ),
    last_failure: z
      .object({
        at: instant.describe('When it ended.'),
        sentence: z.string().describe('How it failed.'),
      })
      .nullable()
      .describe('The latest attempt that failed, and how in words; null if none is known.'),
  })
  .describe('How well a target receives.');
export type TargetHealth = z.infer<typeof targetHealth>;
