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

export const loginLink = z.object({ url: z.string(), expires_at: instant });
export type LoginLink = z.infer<typeof loginLink>;

/** With the session cookie, unsafe requests carry this header: a foreign page cannot set it without our leave. */
export const REQUEST_HEADER = 'x-switchboard-request';
