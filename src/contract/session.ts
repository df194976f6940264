import { z } from 'zod';
import { instant, textOf } from './primitives';
import { scope } from './token';

export const sessionCreate = z
  .strictObject({ token: textOf(500, 1).describe('The admin token.') })
  .describe('A login with the admin token.');

export const session = z
  .object({
    via: z
      .enum(['token', 'session', 'api_token', 'user'])
      .describe(
        'How the request was authenticated. `token` is the admin token, `user` a user whom the proxy named.',
      ),
    name: z.string().nullable().describe('Name of the API token or user; null otherwise.'),
    scopes: z.array(scope).describe('What is allowed.'),
    expires_at: instant.nullable().describe('Null if it does not expire.'),
    masked: z
      .array(z.string())
      .describe('The paths of payload values that are masked, `***`, as in `SWITCHBOARD_MASK`; empty: none.'),
    sandbox: z
      .boolean()
      .describe('Whether the daemon is the demo, which can control its sandbox through `/sandbox`.'),
  })
  .describe('Who is logged in.');
export type Session = z.infer<typeof session>;

export const sessionOpened = session
  .extend({
    secret: z.string().describe('The second half of the session, for the header `x-switchboard-request`.'),
  })
  .describe(
    'The second half of the session is contained only in this response; the dashboard stores it in `localStorage`.',
  );
export type SessionOpened = z.infer<typeof sessionOpened>;

export const openSession = z
  .object({
    id: z.string().describe('The id of the session.'),
    opened_by: z.enum(['admin_token', 'login_link']).describe('How it was opened.'),
    token: z
      .object({ id: z.string().describe('Its id.'), name: z.string().describe('Its name.') })
      .nullable()
      .describe(
        'The API token that created its login link; null if it was the admin token. The session ends with that token.',
      ),
    created_at: instant.describe('When it was opened.'),
    last_used_at: instant.describe('With a precision of one minute.'),
    expires_at: instant.describe('At the latest; an unused session ends 7 days after its last use.'),
    address: z.string().describe('IP address from which it was opened.'),
    user_agent: z.string().nullable().describe('The browser, as it says; null if it says nothing.'),
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .describe('A browser that is logged in.');
export type OpenSession = z.infer<typeof openSession>;

export const loginLink = z
  .object({
    url: z.string().describe('Opens the dashboard.'),
    expires_at: instant.describe('Until when it works.'),
  })
  .describe('Logs in one browser, once, until `expires_at`.');
export type LoginLink = z.infer<typeof loginLink>;
