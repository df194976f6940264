import { z } from 'zod';
import { instant } from './primitives';
import { scope } from './token';

export const sessionCreate = z.strictObject({ token: z.string().min(1).max(500) });

export const session = z.object({
  via: z.enum(['token', 'session', 'api_token']),
  /** Of the API token. */
  name: z.string().nullable(),
  scopes: z.array(scope),
  expires_at: instant.nullable(),
  /** The daemon is the demo: in Co-Pilot's place is a sandbox, which can be steered by `/sandbox`. */
  sandbox: z.boolean(),
});
export type Session = z.infer<typeof session>;

/** The second half of the session is in this answer and in no other: the dashboard keeps it in its `localStorage`. */
export const sessionOpened = session.extend({ secret: z.string() });
export type SessionOpened = z.infer<typeof sessionOpened>;

/** A browser that is logged in. */
export const openSession = z.object({
  id: z.string(),
  opened_by: z.enum(['admin_token', 'login_link']),
  /** The API token that made its login link; null: the admin token stands behind it. It ends with what stands behind it. */
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  created_at: instant,
  /** To the minute. */
  last_used_at: instant,
  /** At the latest; unused, it ends 7 days after its last use. */
  expires_at: instant,
  /** From which it was opened. */
  address: z.string(),
  user_agent: z.string().nullable(),
  /** It is the one that asks. */
  current: z.boolean(),
});
export type OpenSession = z.infer<typeof openSession>;

export const loginLink = z.object({ url: z.string(), expires_at: instant });
export type LoginLink = z.infer<typeof loginLink>;

/**
 * Carries the second half of a session, beside the cookie. A browser sends cookies to every port of a host, and lets every port
 * set them (RFC 6265, 8.5), but it gives what is in `localStorage` to pages of our own origin only.
 */
export const REQUEST_HEADER = 'x-switchboard-request';

/** Its key in `localStorage`. */
export const SESSION_SECRET_KEY = 'switchboard-session';
