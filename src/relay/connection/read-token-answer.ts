import { z } from 'zod';
import { ACCESS_TOKEN_LIFE_SECONDS } from '../../protocol/limits';
import type { Answered, Unreachable } from './upstream-http';

/** What a token answer gave (document, 2.4). `scopes` is null where it names none. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | null;
  lifeSeconds: number;
  scopes: string[] | null;
}

/**
 * `grant_refused`: the code or the refresh token is not accepted. `client_refused`: our client id or secret is not.
 * `request_refused`: refused without saying which of them is wrong, if any. `unreachable`: no answer, or none that can be
 * read. The last two say nothing against the grant. `why` is half a sentence.
 */
export type TokenOutcome =
  | { kind: 'tokens'; tokens: IssuedTokens }
  | { kind: 'grant_refused' | 'client_refused' | 'request_refused' | 'unreachable'; why: string };

const LONGEST_LIFE_SECONDS = 10 * 365 * 86_400;

/** Fit for a header's value. */
const token = z
  .string()
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/);

const tokenAnswer = z.object({
  access_token: token,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .nullish(),
  refresh_token: token.nullish().catch(null),
  expires_in: z.coerce.number().positive().max(LONGEST_LIFE_SECONDS).catch(ACCESS_TOKEN_LIFE_SECONDS),
  scope: z
    .union([z.string(), z.array(z.string()).transform((scopes) => scopes.join(' '))])
    .nullish()
    .catch(null),
});

const errorAnswer = z.object({ error: z.string().regex(/^[\x21-\x7e]{1,64}$/) });

const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client'];
/** Errors that pass by themselves. */
const PASSING_ERRORS = ['temporarily_unavailable', 'server_error', 'slow_down'];

/**
 * Reads what the token endpoint answered. Error answers are not shown in the document (7); RFC 6749, 5.2 is our reading.
 * `invalid_grant` alone ends a grant, since what ends it wants a person: a 400 that does not say so may as well be a
 * gateway's. 401 means the client. Whatever is not JSON means neither.
 */
export function readTokenAnswer(answer: Answered | Unreachable): TokenOutcome {
  if (answer.kind === 'unreachable') {
    return { kind: 'unreachable', why: `Co-Pilot did not answer (${answer.reason})` };
  }
  const { status, body } = answer;
  if (status >= 200 && status < 300) return readTokens(status, body);
  if (typeof body !== 'object' || body === null || (status !== 400 && status !== 401)) {
    return { kind: 'unreachable', why: `Co-Pilot's token endpoint answered ${status}` };
  }
  const error = errorAnswer.safeParse(body).data?.error ?? null;
  const why = `Co-Pilot answered ${status}${error === null ? '' : ` (${error})`}`;
  if (error !== null && PASSING_ERRORS.includes(error)) return { kind: 'unreachable', why };
  if (error !== null && CLIENT_ERRORS.includes(error)) return { kind: 'client_refused', why };
  if (error === 'invalid_grant') return { kind: 'grant_refused', why };
  return { kind: status === 401 ? 'client_refused' : 'request_refused', why };
}

function readTokens(status: number, body: unknown): TokenOutcome {
  const { data } = tokenAnswer.safeParse(body);
  if (data === undefined) {
    return { kind: 'unreachable', why: `Co-Pilot's token endpoint answered ${status}, but not with tokens` };
  }
  return {
    kind: 'tokens',
    tokens: {
      accessToken: data.access_token,
      refreshToken: data.refresh_token ?? null,
      lifeSeconds: data.expires_in,
      scopes: data.scope?.split(/[\s,]+/).filter(Boolean) ?? null,
    },
  };
}
