import { z } from 'zod';
import { instant } from './primitives';
import { scope } from './token';

/** A login with the admin token. */
export const sessionCreate = z.strictObject({ token: z.string().min(1).max(500) });

/** Who is logged in. */
export const session = z.object({
  /** How the request was authenticated. `token` is the admin token, `user` a user whom the proxy named. */
  via: z.enum(['token', 'session', 'api_token', 'user']),
  /** Name of the API token or user; null otherwise. */
  name: z.string().nullable(),
  scopes: z.array(scope),
  /** Null if it does not expire. */
  expires_at: instant.nullable(),
  /** Whether the daemon is the demo, which can control its sandbox through `/sandbox`. */
  sandbox: z.boolean(),
});
export type Session = z.infer<typeof session>;

/** The second half of the session is contained only in this response; the dashboard stores it in `localStorage`. */
export const sessionOpened = session.extend({ secret: z.string() });
export type SessionOpened = z.infer<typeof sessionOpened>;

/** A browser that is logged in. */
export const openSession = z.object({
  id: z.string(),
  opened_by: z.enum(['admin_token', 'login_link']),
  /** The API token that created its login link; null if it was the admin token. The session ends with that token. */
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  created_at: instant,
  /** With a precision of one minute. */
  last_used_at: instant,
  /** At the latest; an unused session ends 7 days after its last use. */
  expires_at: instant,
  /** IP address from which it was opened. */
  address: z.string(),
  user_agent: z.string().nullable(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
});
export type OpenSession = z.infer<typeof openSession>;

/** Logs in one browser, once, until `expires_at`. */
export const loginLink = z.object({ url: z.string(), expires_at: instant });
export type LoginLink = z.infer<typeof loginLink>;
