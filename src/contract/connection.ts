import { z } from 'zod';
import { instant } from './primitives';

/**
 * `not_connected`: not authorized yet, or disconnected. `renewal_interrupted`: the daemon stopped during a token
 * renewal, so its outcome is unknown. `client_rejected`: Co-Pilot rejects the client id or secret. `consent_needed`:
 * the grant is no longer valid. `unreachable`: Co-Pilot does not respond, or its response cannot be parsed.
 */
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

/** The OAuth connection to Co-Pilot (document, 5). */
export const connection = z.object({
  state: z.enum(CONNECTION_STATES),
  /** The state in words. */
  sentence: z.string(),
  /** What to do; null if nothing needs to be done. */
  remedy: z.string().nullable(),
  /** `COPILOT_BASE_URL`, without a trailing slash. */
  base_url: z.string(),
  client_id: z.string(),
  /** Scopes that the configured events require (document, 5.5). */
  scopes_needed: z.array(z.string()),
  /** Scopes of the current grant. */
  scopes_granted: z.array(z.string()),
  /** Needed, but not granted. */
  scopes_missing: z.array(z.string()),
  /** When the current grant was given; null without a grant. */
  connected_at: instant.nullable(),
  /** When the access token was last renewed; null if never. */
  renewed_at: instant.nullable(),
  /** When the access token expires (document, 5.3: after one hour). */
  expires_at: instant.nullable(),
  /** When the access ends, because Co-Pilot gave no refresh token; null if it can be renewed, or has ended. */
  ends_at: instant.nullable(),
  /** When the next renewal is due. */
  renews_at: instant.nullable(),
  /** Why the last authorization failed, with a stable `code`; null if none failed since the last success. */
  consent_failure: z
    .object({ at: instant, code: z.string(), sentence: z.string(), remedy: z.string() })
    .nullable(),
});
export type Connection = z.infer<typeof connection>;

/** `force`: discard the tokens even if the webhook could not be deleted at Co-Pilot. */
export const disconnection = z.strictObject({ force: z.boolean().default(false) }).prefault({});
export type Disconnection = z.infer<typeof disconnection>;
