import { z } from 'zod';
import { instant } from './primitives';

export const CONNECTION_STATES = [
  'not_connected',
  'connected',
  'renewing',
  'renewal_interrupted',
  'client_rejected',
  'consent_needed',
  'unreachable',
] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export const connection = z
  .object({
    state: z
      .enum(CONNECTION_STATES)
      .describe(
        'Whether Co-Pilot grants access. `not_connected`: not authorized yet, or disconnected. `renewal_interrupted`: the daemon stopped during a token renewal, so its outcome is unknown. `client_rejected`: Co-Pilot rejects the client id or secret. `consent_needed`: the grant is no longer valid. `unreachable`: Co-Pilot does not respond, or its response cannot be parsed.',
      ),
    sentence: z.string().describe('The state in words.'),
    remedy: z.string().nullable().describe('What to do; null if nothing needs to be done.'),
    base_url: z.string().describe('`COPILOT_BASE_URL`, without a trailing slash.'),
    client_id: z.string().describe('`COPILOT_CLIENT_ID`.'),
    scopes_needed: z.array(z.string()).describe('Scopes that the configured events require (document, 5.5).'),
    scopes_granted: z.array(z.string()).describe('Scopes of the current grant.'),
    scopes_missing: z.array(z.string()).describe('Needed, but not granted.'),
    connected_at: instant.nullable().describe('When the current grant was given; null without a grant.'),
    renewed_at: instant.nullable().describe('When the access token was last renewed; null if never.'),
    expires_at: instant.nullable().describe('When the access token expires (document, 5.3: after one hour).'),
    ends_at: instant
      .nullable()
      .describe(
        'When the access ends, because Co-Pilot gave no refresh token; null if it can be renewed, or has ended.',
      ),
    renews_at: instant.nullable().describe('When the next renewal is due.'),
    consent_failure: z
      .object({
        at: instant.describe('When it failed.'),
        code: z.string().describe('Stable, unlike the texts.'),
        sentence: z.string().describe('What happened.'),
        remedy: z.string().describe('What to do.'),
      })
      .nullable()
      .describe(
        'Why the last authorization failed, with a stable `code`; null if none failed since the last success.',
      ),
  })
  .describe('The OAuth connection to Co-Pilot (document, 5).');
export type Connection = z.infer<typeof connection>;

export const disconnection = z
  .strictObject({
    force: z
      .boolean()
      .default(false)
      .describe('Discard the tokens even if the webhook could not be deleted at Co-Pilot.'),
  })
  .prefault({})
  .describe('`force`: discard the tokens even if the webhook could not be deleted at Co-Pilot.');
export type Disconnection = z.infer<typeof disconnection>;

export const consentStart = z
  .object({ url: z.string().describe('The consent page of Co-Pilot.') })
  .describe('The beginning of a consent.');
