import { z } from 'zod';
import { eventId, instant, targetId } from './primitives';
import { issueId, snooze } from './snooze';

export const issue = z
  .object({
    id: issueId.describe(
      'Identifies it, also in snoozes: for as long as it lasts, and the same before and after its alert is raised.',
    ),
    code: z
      .string()
      .describe(
        'What is the matter: the type of its alert without `relay.`, or `<area>.<condition>` if it has none.',
      ),
    severity: z.enum(['critical', 'warning', 'info']).describe('`info`: only a remark.'),
    sentence: z
      .string()
      .describe('What happened. The same words in messages, on the Overview, in `status` and in `doctor`.'),
    remedy: z.string().nullable().describe('What to do; null if nothing.'),
    count: z
      .string()
      .nullable()
      .describe('How many in words, such as `12 queued`; null if that says nothing.'),
    since: instant.nullable().describe('When it began; null if that is not known.'),
    target_id: targetId
      .nullable()
      .describe('The target that it is about; null if it is about something else.'),
    target_name: z
      .string()
      .nullable()
      .describe('The name of the target; null if it is about something else.'),
    event_id: eventId.nullable().describe('The event to look at; null if there is none.'),
    deliberate: z.boolean().describe('Whether an operator wants it so, such as a pause.'),
    snoozed: snooze
      .omit({ issue: true })
      .nullable()
      .describe(
        'Its acknowledgement, and until when that hides it (null: for as long as it lasts); null if there is none.',
      ),
  })
  .describe(
    'Something that needs attention: an alert, or a state from which none has followed yet, or never does.',
  );
export type Issue = z.infer<typeof issue>;

export const hubHealth = z
  .object({
    ok: z.boolean().describe('Whether no issue is critical or a warning, except those that are snoozed.'),
    issues: z.array(issue).describe('The most severe first.'),
  })
  .describe('Whether all is well.');
export type HubHealth = z.infer<typeof hubHealth>;

export const liveness = z
  .object({ status: z.literal('ok').describe('Always `ok`.') })
  .describe('The daemon answers.');

export const readiness = liveness
  .extend({
    checks: z
      .array(
        z.object({
          name: z.string().describe('What was checked.'),
          ok: z.boolean().describe('Whether the check succeeded.'),
        }),
      )
      .optional()
      .describe('The health checks; for operators.'),
    health: hubHealth.optional().describe('What needs attention nevertheless; for operators.'),
  })
  .describe('The hub is ready.');
export type Readiness = z.infer<typeof readiness>;
