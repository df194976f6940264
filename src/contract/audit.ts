import { z } from 'zod';
import { pageQuery } from './page';
import { instant, instantQuery, textOf } from './primitives';

const actorKind = z
  .enum([
    'admin_token',
    'command_line',
    'session',
    'api_token',
    'user',
    'login_link',
    'browser',
    'switchboard',
  ])
  .describe('Who performed an action. `switchboard` is the daemon itself.');
export type ActorKind = z.infer<typeof actorKind>;

export const actor = z
  .object({
    kind: actorKind,
    id: z.string().nullable().describe('Of the token or session, or the name of the user; null for others.'),
    name: z.string().nullable().describe('Of the token or user; null for others.'),
  })
  .describe('`id`: of the token or session, or the name of the user. `name`: of the token or user.');
export type Actor = z.infer<typeof actor>;

export const auditEntry = z
  .object({
    id: z.string().describe('The id of the entry.'),
    at: instant.describe('When it was done.'),
    actor,
    action: z.string().describe('Name of the action, such as `target.create` or `event.replay`.'),
    subject: z
      .object({
        id: z.string().describe('Its id.'),
        name: z.string().nullable().describe('Its name then; null if it has none.'),
      })
      .nullable()
      .describe('What the action applied to, with its name at that time.'),
    fields: z
      .array(z.string())
      .describe('Names of the given fields, of a change those that it really changed; never their values.'),
    secret_shown: z.boolean().describe('Whether the response showed a secret.'),
    address: z
      .string()
      .nullable()
      .describe('IP address of the client; null for actions of the daemon itself.'),
    error: z
      .string()
      .nullable()
      .describe('Code of the error that interrupted the action; null if it succeeded.'),
  })
  .describe('An action that changed something, or whose response showed a secret.');
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditQuery = pageQuery
  .extend({
    actor: actorKind.optional(),
    actor_id: textOf(100).optional().describe("The id of a token, or the beginning of a session's id."),
    action: z
      .string()
      .max(100)
      .regex(/^[a-z_.]+\*?$|^\*$/)
      .optional()
      .describe('An action such as `target.create`, or a prefix such as `target.*`.'),
    subject: textOf(100).optional().describe('The id of what the action applied to.'),
    secret_shown: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .describe('Only those whose response showed a secret, or none.'),
    since: instantQuery.optional().describe('Inclusive.'),
    until: instantQuery.optional().describe('Exclusive.'),
  })
  .describe('Filters of the audit log.');
export type AuditQuery = z.infer<typeof auditQuery>;
