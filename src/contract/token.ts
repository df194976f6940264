import { z } from 'zod';
import { displayName } from './display-name';
import { instant, instantQuery } from './primitives';

/**
 * What a token may do. `read` sees everything that is stored; `operate` also acts on events, deliveries, replays, targets and
 * the subscription; `listen` opens the live socket and nothing else; `admin` may do everything, tokens and logins included.
 */
export const scope = z.enum(['read', 'operate', 'listen', 'admin']);
export type Scope = z.infer<typeof scope>;

const tokenId = z.string().regex(/^tok_[0-9a-z]{26}$/);

export const tokenCreate = z.strictObject({
  name: displayName(100),
  scopes: z
    .array(scope)
    .min(1)
    .transform((scopes) => [...new Set(scopes)]),
  /** None, or null: it does not expire. */
  expires_at: instantQuery.nullable().default(null),
});
export type TokenCreate = z.infer<typeof tokenCreate>;

export const token = z.object({
  id: tokenId,
  name: z.string(),
  scopes: z.array(scope),
  /** The last four characters of its secret, to tell it by. */
  hint: z.string(),
  state: z.enum(['active', 'expired']),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
});
export type Token = z.infer<typeof token>;

/** The secret is in this answer and in no other. */
export const tokenCreated = token.extend({ secret: z.string() });
export type TokenCreated = z.infer<typeof tokenCreated>;
