import { z } from 'zod';
import { displayName } from './display-name';
import { instant, instantQuery } from './primitives';

/**
 * What a token may do. `read`: read everything that is stored. `operate`: also act on events, deliveries, replays,
 * targets and the subscription. `listen`: open the live socket, nothing else. `receive`: receive events with their
 * payloads, by consumers and listeners that it has created. `backup`: make backups, nothing else. `admin`: everything,
 * including tokens and logins.
 */
export const scope = z.enum(['read', 'operate', 'listen', 'receive', 'backup', 'admin']);
export type Scope = z.infer<typeof scope>;

const tokenId = z.string().regex(/^tok_[0-9a-z]{26}$/);

/** A new API token. */
export const tokenCreate = z.strictObject({
  name: displayName(100),
  scopes: z
    .array(scope)
    .min(1)
    .transform((scopes) => [...new Set(scopes)]),
  /** Null: it does not expire. */
  expires_at: instantQuery.nullable().default(null),
});
export type TokenCreate = z.infer<typeof tokenCreate>;

/** An API token without its secret. */
export const token = z.object({
  id: tokenId,
  name: z.string(),
  scopes: z.array(scope),
  /** The last four characters of its secret, for recognition. */
  hint: z.string(),
  state: z.enum(['active', 'expired']),
  created_at: instant,
  expires_at: instant.nullable(),
  /** Null if it was never used. */
  last_used_at: instant.nullable(),
});
export type Token = z.infer<typeof token>;

/** The secret is contained only in this response. */
export const tokenCreated = token.extend({ secret: z.string() });
export type TokenCreated = z.infer<typeof tokenCreated>;
