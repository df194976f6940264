import { z } from 'zod';
import { SCOPES } from '../../protocol/scopes';

const ofGrant = { digest: z.string(), grantId: z.string() };

/** Grants, codes and tokens as they are stored across restarts: only digests. */
export const storedGrants = z.object({
  grants: z.array(
    z.object({ id: z.string(), clientId: z.string(), scopes: z.array(z.enum(SCOPES)), revoked: z.boolean() }),
  ),
  codes: z.array(z.object({ ...ofGrant, redirectUri: z.string(), expiresAt: z.number(), used: z.boolean() })),
  refreshTokens: z.array(
    z.object({ ...ofGrant, id: z.string(), lastFour: z.string(), issuedAt: z.string(), used: z.boolean() }),
  ),
  accessTokens: z.array(z.object({ ...ofGrant, expiresAt: z.number() })),
});
