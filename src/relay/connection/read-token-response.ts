import { z } from 'zod';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../../protocol/limits';
import type { UpstreamResponse, Unreachable } from './upstream-http';

/** The content of a token response (document, 2.4). `scopes` is null if it contains none. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | null;
  lifetimeSeconds: number;
  scopes: string[] | null;
}

/**
 * `grant_rejected`: the code or the refresh token is not accepted. `client_rejected`: our client id or secret
 * is not. `request_rejected`: rejected for another reason. `unreachable`: no usable response, such as
 * none at all, 5xx, or HTML. The last two do not invalidate the grant. `reason` is a clause without a full stop.
 */
export type TokenOutcome =
  | { kind: 'tokens'; tokens: IssuedTokens }
  | { kind: 'grant_rejected' | 'client_rejected' | 'request_rejected' | 'unreachable'; reason: string };

const MAX_LIFETIME_SECONDS = 10 * 365 * 86_400;

/** Safe in a header value. */
const token = z
  .string()
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/);

const tokenResponse = z.object({
  access_token: token,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .nullish(),
  refresh_token: token.nullish().catch(null),
  expires_in: z.coerce.number().positive().max(MAX_LIFETIME_SECONDS).catch(ACCESS_TOKEN_LIFETIME_SECONDS),
  scope: z
    .union([z.string(), z.array(z.string()).transform((scopes) => scopes.join(' '))])
    .nullish()
    .catch(null),
});

const errorResponse = z.object({ error: z.string().regex(/^[\x21-\x7e]{1,64}$/) });

const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client'];
/** Errors that say nothing about the grant or the client. */
const TRANSIENT_ERRORS = ['temporarily_unavailable', 'server_error', 'slow_down'];

/**
 * Classifies the response of the token endpoint. The document shows no error responses (7), so RFC 6749,
 * 5.2 applies. Only `invalid_grant` ends a grant, since that requires the operator: any other 400 may come
 * from a gateway. 401 concerns the client. A body that is not JSON concerns neither.
 */
export function readTokenResponse(response: UpstreamResponse | Unreachable): TokenOutcome {
  if (response.kind === 'unreachable') {
    return { kind: 'unreachable', reason: `Co-Pilot did not respond (${response.reason})` };
  }
  const { status, body } = response;
  if (status >= 200 && status < 300) return readTokens(status, body);
  if (typeof body !== 'object' || body === null || (status !== 400 && status !== 401)) {
    return { kind: 'unreachable', reason: `Co-Pilot's token endpoint responded with ${status}` };
  }
  const error = errorResponse.safeParse(body).data?.error ?? null;
  const reason = `Co-Pilot responded with ${status}${error === null ? '' : ` (${error})`}`;
  if (error !== null && TRANSIENT_ERRORS.includes(error)) return { kind: 'unreachable', reason };
  if (error !== null && CLIENT_ERRORS.includes(error)) return { kind: 'client_rejected', reason };
  if (error === 'invalid_grant') return { kind: 'grant_rejected', reason };
  return { kind: status === 401 ? 'client_rejected' : 'request_rejected', reason };
}

function readTokens(status: number, body: unknown): TokenOutcome {
  const { data } = tokenResponse.safeParse(body);
  if (data === undefined) {
    return {
      kind: 'unreachable',
      reason: `Co-Pilot's token endpoint responded with ${status}, but without tokens`,
    };
  }
  return {
    kind: 'tokens',
    tokens: {
      accessToken: data.access_token,
      refreshToken: data.refresh_token ?? null,
      lifetimeSeconds: data.expires_in,
      scopes: data.scope?.split(/[\s,]+/).filter(Boolean) ?? null,
    },
  };
}
