import { z } from 'zod';
import { displayName } from './display-name';
import { instant, instantQuery } from './primitives';

/**
 * What needs attention: its kind, and what distinguishes it from others of that kind, such as the id of a target:
 * `target.failing:tgt_…`.
 */
export const issueId = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9._-]*(:[a-z0-9_]+)*$/, 'a kind, then a colon and an id');

/** An acknowledgement: hides something that needs attention on the Overview, for every operator. */
export const snooze = z.object({
  issue: issueId,
  at: instant,
  /** When it is shown again; null: not again. */
  until: instant.nullable(),
  /** Who acknowledged it; null if they have given no name. */
  operator: z.string().nullable(),
  /** What they noted for others. */
  note: z.string().nullable(),
});
export type Snooze = z.infer<typeof snooze>;

/** All snoozes that have not ended, oldest first. */
export const snoozes = z.object({ data: z.array(snooze) });
export type Snoozes = z.infer<typeof snoozes>;

/** Replaces a snooze of the same issue. */
export const snoozeCreate = z.strictObject({
  issue: issueId,
  until: instantQuery.nullable(),
  /** A user or API token that has a name acts under that name. */
  operator: displayName(80).optional(),
  note: displayName(500).optional(),
});
export type SnoozeCreate = z.infer<typeof snoozeCreate>;
