import type { Problem } from '../../contract/problem';
import type { ProblemCode } from '../../contract/problem-codes';
import type { BodyFailure } from '../http/incoming-bodies';

/** An error response to a notification, built in advance: answering a flood of them must cost little. */
export interface ErrorResponse {
  status: number;
  headers: Readonly<Record<string, string | number>>;
  body: string;
}

export const UNKNOWN_KEY = errorResponse(404, 'unknown_key', 'Not found', {
  detail: 'No webhook is registered at this address.',
});

export const NOT_A_POST = errorResponse(
  405,
  'method_not_allowed',
  'Method not allowed',
  { detail: 'Notifications are sent by POST.' },
  { allow: 'POST' },
);

export const BAD_SIGNATURE = errorResponse(401, 'bad_signature', 'Unauthorized', {
  detail: 'No header contains the HMAC-SHA256 of the body under the secret of this webhook.',
});

/** Closes the connection, so that the rest of the body does not have to be read. */
const TOO_LARGE = errorResponse(
  413,
  'too_large',
  'Content too large',
  {
    detail: 'The notification is larger than this hub accepts.',
    remedy: 'The operator can raise SWITCHBOARD_BODY_LIMIT_BYTES.',
  },
  { connection: 'close' },
);

export const NOT_STORED = errorResponse(
  503,
  'not_stored',
  'Service unavailable',
  {
    detail: 'The notification could not be stored safely in time. It was not stored.',
    remedy: 'Send it again.',
  },
  { 'retry-after': '5' },
);

/** The response if the body could not be received. After an abort nobody reads it. */
export const BODY_NOT_RECEIVED: Readonly<Record<BodyFailure, ErrorResponse>> = {
  too_large: TOO_LARGE,
  overload: { ...NOT_STORED, headers: { ...NOT_STORED.headers, connection: 'close' } },
  aborted: NOT_STORED,
};

function errorResponse(
  status: number,
  code: ProblemCode,
  title: string,
  sentences: Pick<Problem, 'detail' | 'remedy'>,
  headers: Record<string, string> = {},
): ErrorResponse {
  const problem: Problem = { type: 'about:blank', title, status, code, ...sentences };
  const body = JSON.stringify(problem);
  const contentHeaders = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  return { status, headers: { ...contentHeaders, ...headers }, body };
}
