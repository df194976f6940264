import { z } from 'zod';
import { pageQuery } from './page';
import { instant, instantQuery } from './primitives';

/** Who performed an action. `switchboard` is the daemon itself. */
const actorKind = z.enum([
  'admin_token',
  'command_line',
  'session',
  'api_token',
  'user',
  'login_link',
  'browser',
  'switchboard',
]);
export type ActorKind = z.infer<typeof actorKind>;

/** `id`: of the token or session, or the name of the user. `name`: of the token or user. */
export const actor = z.object({ kind: actorKind, id: z.string().nullable(), name: z.string().nullable() });
export type Actor = z.infer<typeof actor>;

/** An action that changed something, or whose response showed a secret. */
export const auditEntry = z.object({
  id: z.string(),
  at: instant,
  actor,
  /** Name of the action, such as `target.create` or `event.replay`. */
  action: z.string(),
  /** What the action applied to, with its name at that time. */
  subject: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** Names of the given fields, of a change those that it really changed; never their values. */
  fields: z.array(z.string()),
  /** Whether the response showed a secret. */
  secret_shown: z.boolean(),
  /** IP address of the client; null for actions of the daemon itself. */
  address: z.string().nullable(),
  /** Code of the error that interrupted the action; null if it succeeded. */
  error: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** Filters of the audit log. */
export const auditQuery = pageQuery.extend({
  actor: actorKind.optional(),
  /** The id of a token, or the beginning of a session's id. */
  actor_id: z.string().max(100).optional(),
  /** An action such as `target.create`, or a prefix such as `target.*`. */
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_.]+\*?$|^\*$/)
    .optional(),
  /** The id of what the action applied to. */
  subject: z.string().max(100).optional(),
  secret_shown: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  /** Inclusive. */
  since: instantQuery.optional(),
  /** Exclusive. */
  until: instantQuery.optional(),
});
export type AuditQuery = z.infer<typeof auditQuery>;
