import { z } from 'zod';
import { displayName } from './display-name';
import { instant, instantQuery, tokenId } from './primitives';

export const scope = z
  .enum(['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'])
  .describe(
    'What a token may do. `read`: read everything that is stored, but of payloads without what `SWITCHBOARD_MASK` masks. `reveal`: also those values; alone it permits nothing. `operate`: both, and act on events, deliveries, replays, targets and the subscription. `listen`: open the live socket, nothing else. `receive`: receive events with their payloads, by consumers and listeners that it has created. `backup`: make backups, nothing else. `admin`: everything, including tokens and logins.',
  );
export type Scope = z.infer<typeof scope>;

export const tokenCreate = z
  .strictObject({
    name: displayName(100).describe('Its name, for people.'),
    scopes: z
      .array(scope)
      .min(1)
      .transform((scopes) => [...new Set(scopes)])
      .describe('What it may do.'),
    expires_at: instantQuery.nullable().default(null).describe('Null: it does not expire.'),
  })
  .describe('A new API token.');
export type TokenCreate = z.infer<typeof tokenCreate>;

export const token = z
  .object({
    id: tokenId,
    name: z.string().describe('Its name.'),
    scopes: z.array(scope).describe('What it may do.'),
    hint: z.string().describe('The last four characters of its secret, for recognition.'),
    state: z.enum(['active', 'expired']).describe('Whether it is accepted.'),
    created_at: instant.describe('When it was created.'),
    expires_at: instant.nullable().describe('When it expires; null: never.'),
    last_used_at: instant.nullable().describe('Null if it was never used.'),
  })
  .describe('An API token without its secret.');
export type Token = z.infer<typeof token>;

export const tokenCreated = token
  .extend({ secret: z.string().describe('The token, which is not shown again.') })
  .describe('The secret is contained only in this response.');
export type TokenCreated = z.infer<typeof tokenCreated>;
