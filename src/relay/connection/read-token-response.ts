import { z } from 'zod';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../../protocol/limits';
import { readRetryAfter } from '../network/read-retry-after';
import { maskSecrets } from '../secrets/mask-secrets';
import { readMessage } from './read-message';
import type { UpstreamResponse, Unreachable } from './upstream-http';

/** The content of a token response (document, 2.4). `scopes` is null if it contains none. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | null;
  lifetimeSeconds: number;
  scopes: string[] | null;
}

/**
 * `grant_rejected`: the code or the refresh token is not accepted. `client_rejected`: our client id or secret is not.
 * `request_rejected`: rejected for another reason. `no_tokens`: an answer that names none of these, such as 5xx or
 * HTML. `unreachable`: no answer. The last three do not invalidate the grant. `reason` is a clause without a full
 * stop.
 */
export type TokenOutcome =
  | { kind: 'tokens'; tokens: IssuedTokens }
  | { kind: 'grant_rejected' | 'client_rejected' | 'request_rejected' | 'unreachable'; reason: string }
  /** `retryAfterMs`: how long to wait, if Co-Pilot asks for that; otherwise 0. */
  | { kind: 'no_tokens'; reason: string; retryAfterMs: number };

/** How the reason of an outcome begins if Co-Pilot did not answer. */
export const NO_ANSWER = 'Co-Pilot did not respond';

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

const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client'];
/** Errors that say nothing about the grant or the client. */
const TRANSIENT_ERRORS = ['temporarily_unavailable', 'server_error', 'slow_down'];
/** Of a resource that wants an access token (RFC 6750, 3.1): something else than the token endpoint has answered. */
const INVALID_TOKEN = 'invalid_token';
const KNOWN_ERRORS = ['invalid_grant', INVALID_TOKEN, ...CLIENT_ERRORS, ...TRANSIENT_ERRORS];

const CODE_FIELDS = ['error', 'code', 'error_code', 'type'];
const MAX_DEPTH = 3;

/**
 * Classifies the response of the token endpoint. The document shows no error responses (7), so RFC 6749, 5.2 applies:
 * the error that a response names decides, whatever its status below 500 and however it is wrapped. Only
 * `invalid_grant` ends a grant, since that requires the operator: any other 400 may come from a gateway, and 5xx from
 * a server that is not sound. 401 concerns the client, unless it names a token. Without an error, nothing else does.
 * @param secrets values to mask in what is quoted
 * @param now ms since 1970
 */
export function readTokenResponse(
  response: UpstreamResponse | Unreachable,
  secrets: readonly string[],
  now: number,
): TokenOutcome {
  if (response.kind === 'unreachable')
    return { kind: 'unreachable', reason: `${NO_ANSWER} (${response.reason})` };
  const { status, body, headers } = response;
  const isSuccess = status >= 200 && status < 300;
  const tokens = isSuccess ? readTokens(body) : null;
  if (tokens !== null) return { kind: 'tokens', tokens };

  const error = readError(body);
  const reason = describeAnswer(response, error, secrets);
  const { 'retry-after': header } = headers;
  const retryAfterMs = typeof header === 'string' ? (readRetryAfter(header, now) ?? 0) : 0;
  const noTokens = { kind: 'no_tokens', reason, retryAfterMs } as const;
  if (status >= 500 || (error !== null && TRANSIENT_ERRORS.includes(error))) return noTokens;
  if (error === 'invalid_grant') return { kind: 'grant_rejected', reason };
  if (error !== null && CLIENT_ERRORS.includes(error)) return { kind: 'client_rejected', reason };
  if (typeof body !== 'object' || body === null) return noTokens;
  if (status === 401 && error !== INVALID_TOKEN) return { kind: 'client_rejected', reason };
  return status === 400 || error !== null ? { kind: 'request_rejected', reason } : noTokens;
}

/** The known error that a response names, else what it has in place of one; null if it has nothing. */
function readError(body: unknown): string | null {
  const codes = codesIn(body, 0);
  const code = codes.find((one) => KNOWN_ERRORS.includes(one)) ?? codes[0];
  return code !== undefined && /^[\x21-\x7e]{1,64}$/.test(code) ? code : null;
}

function codesIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (typeof inner !== 'string') return codesIn(inner, depth + 1);
    const isKnown = CODE_FIELDS.includes(name) && KNOWN_ERRORS.includes(inner.toLowerCase());
    return isKnown ? [inner.toLowerCase()] : depth === 0 && name === 'error' ? [inner] : [];
  });
}

/** What Co-Pilot said: the error, then its message. */
function describeAnswer(
  { status, body }: UpstreamResponse,
  error: string | null,
  secrets: readonly string[],
): string {
  const named = error === null ? '' : ` (${maskSecrets(error, secrets)})`;
  const message = readMessage(body, secrets)?.replace(/\.+$/, '');
  const quoted = message === undefined || message.toLowerCase() === error ? '' : `: ${message}`;
  const without = status < 300 && error === null ? ', but without tokens' : '';
  return `Co-Pilot responded with ${status}${named}${without}${quoted}`;
}

/** Null if the body has no usable access token. */
function readTokens(body: unknown): IssuedTokens | null {
  const { data } = tokenResponse.safeParse(body);
  if (data === undefined) return null;
  return {
    accessToken: data.access_token,
    refreshToken: data.refresh_token ?? null,
    lifetimeSeconds: data.expires_in,
    scopes: data.scope?.split(/[\s,]+/).filter(Boolean) ?? null,
  };
}
