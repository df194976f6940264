import { z } from 'zod';
import { pageQuery } from './page';
import { alertId, instant } from './primitives';

export const alertSummary = z
  .object({
    id: alertId,
    type: z.string().describe('Type of the system events that report it: `relay.<area>.<condition>`.'),
    subject: z
      .string()
      .describe(
        "Distinguishes alerts of one type, such as by a target's id or a cause; `''` if there is only one.",
      ),
    severity: z.enum(['info', 'warning', 'critical']).describe('How bad it is; `info`: only a remark.'),
    sentence: z.string().describe('What happened.'),
    remedy: z.string().describe('What to do about it.'),
    data: z.record(z.string(), z.unknown()).describe('Details; the fields depend on `type`.'),
    count: z.number().int().describe('How often it has been raised since `since`.'),
    since: instant.describe('When it was first raised.'),
    last_at: instant.describe('When it was last raised.'),
    resolved_at: instant.nullable().describe('Null while it is active.'),
    resolution: z.string().nullable().describe('Why it was resolved; null while it is active.'),
  })
  .describe('A condition that an operator should know about.');
export type AlertSummary = z.infer<typeof alertSummary>;

export const alertQuery = pageQuery.extend({
  state: z.enum(['active', 'resolved']).default('active').describe('Which alerts.'),
});
export type AlertQuery = z.infer<typeof alertQuery>;
