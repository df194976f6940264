import { z } from 'zod';
import { displayName } from './display-name';
import { instant, instantQuery } from './primitives';

export const issueId = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9._-]*(:[a-z0-9_]+)*$/, 'a kind, then a colon and an id')
  .describe('What needs attention: its kind, and often the id of what it is about: `target.failing:tgt_…`.');

export const snooze = z
  .object({
    issue: issueId,
    at: instant.describe('When it was acknowledged.'),
    until: instant.nullable().describe('When it is shown again; null: not again.'),
    operator: z.string().nullable().describe('Who acknowledged it; null if they have given no name.'),
    note: z.string().nullable().describe('What they noted for others.'),
  })
  .describe('An acknowledgement: hides something that needs attention on the Overview, for every operator.');
export type Snooze = z.infer<typeof snooze>;

export const snoozes = z
  .object({ data: z.array(snooze).describe('The snoozes.') })
  .describe('All snoozes that have not ended, oldest first.');
export type Snoozes = z.infer<typeof snoozes>;

export const snoozeCreate = z
  .strictObject({
    issue: issueId,
    until: instantQuery.nullable().describe('When it is shown again; null: not again.'),
    operator: displayName(80)
      .optional()
      .describe('A user or API token that has a name acts under that name.'),
    note: displayName(500).optional().describe('What others should know.'),
  })
  .describe('Replaces a snooze of the same issue.');
export type SnoozeCreate = z.infer<typeof snoozeCreate>;
