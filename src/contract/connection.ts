import { z } from 'zod';
import { instant } from './primitives';

/**
 * `not_connected`: no consent yet, or disconnected. `renewal_interrupted`: the process ended while a renewal was under way, and its
 * outcome is unknown. `client_refused`: Co-Pilot refuses our client id or secret. `consent_needed`: the grant is no
 * longer valid. `unreachable`: Co-Pilot does not answer, or not in a way that can be read.
 */
const CONNECTION_STATES = [
  'not_connected',
  'connected',
  'renewing',
  'renewal_interrupted',
  'client_refused',
  'consent_needed',
  'unreachable',
] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export const connection = z.object({
  state: z.enum(CONNECTION_STATES),
  sentence: z.string(),
  remedy: z.string().nullable(),
  base_url: z.string(),
  client_id: z.string(),
  scopes_needed: z.array(z.string()),
  scopes_granted: z.array(z.string()),
  scopes_missing: z.array(z.string()),
  connected_at: instant.nullable(),
  renewed_at: instant.nullable(),
  expires_at: instant.nullable(),
  renews_at: instant.nullable(),
  /** How the last consent failed, with a stable `code`; null where none has, or a later one has connected. */
  consent_failure: z
    .object({ at: instant, code: z.string(), sentence: z.string(), remedy: z.string() })
    .nullable(),
});
export type Connection = z.infer<typeof connection>;

/** `force`: give the tokens up even where our webhook could not be deleted at Co-Pilot. */
export const disconnection = z.strictObject({ force: z.boolean().default(false) }).prefault({});
export type Disconnection = z.infer<typeof disconnection>;
