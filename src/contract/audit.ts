import { z } from 'zod';
import { pageQuery } from './page';
import { instant, instantQuery } from './primitives';

const actorKind = z.enum([
  'admin_token',
  'command_line',
  'session',
  'api_token',
  'login_link',
  'browser',
  'switchboard',
]);
export type ActorKind = z.infer<typeof actorKind>;

export const auditEntry = z.object({
  id: z.string(),
  at: instant,
  /** `id`: the token's, or the beginning of the session's; `name`: the token's. */
  actor: z.object({ kind: actorKind, id: z.string().nullable(), name: z.string().nullable() }),
  /** What was done: `target.create`, `event.replay`. */
  action: z.string(),
  subject: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** The fields that were given; never what was in them. */
  fields: z.array(z.string()),
  /** Whether the answer showed a secret. */
  secret_shown: z.boolean(),
  /** Where it came from; null for what Switchboard did itself. */
  address: z.string().nullable(),
  /** The code of the error that ended it half way; null where it went through. */
  error: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditQuery = pageQuery.extend({
  actor: actorKind.optional(),
  /** The id of a token, or what stands for a session. */
  actor_id: z.string().max(100).optional(),
  /** `target.create`, or `target.*`. */
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_.]+\*?$|^\*$/)
    .optional(),
  subject: z.string().max(100).optional(),
  secret_shown: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  since: instantQuery.optional(),
  until: instantQuery.optional(),
});
export type AuditQuery = z.infer<typeof auditQuery>;
