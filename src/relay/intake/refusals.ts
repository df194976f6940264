import type { Problem } from '../../contract/problem';
import type { BodyRefusal } from '../http/incoming-bodies';

/** A prebuilt error response: a flood of them should be cheap. */
export interface Refusal {
  status: number;
  headers: Readonly<Record<string, string | number>>;
  body: string;
}

export const UNKNOWN_KEY = refusal(404, 'unknown_key', 'Not found', {
  detail: 'No webhook is registered at this address.',
});

export const NOT_A_POST = refusal(
  405,
  'method_not_allowed',
  'Method not allowed',
  { detail: 'Notifications are sent by POST.' },
  { allow: 'POST' },
);

export const BAD_SIGNATURE = refusal(401, 'bad_signature', 'Unauthorized', {
  detail: 'No header contains the HMAC-SHA256 of the body under the secret of this webhook.',
});

/** The connection is closed, so the rest need not be read. */
const TOO_LARGE = refusal(
  413,
  'too_large',
  'Content too large',
  {
    detail: 'The notification is larger than this hub accepts.',
    remedy: 'The operator can raise SWITCHBOARD_BODY_LIMIT_BYTES.',
  },
  { connection: 'close' },
);

export const NOT_STORED = refusal(
  503,
  'not_stored',
  'Service unavailable',
  {
    detail: 'The notification could not be stored safely in time. It was not stored.',
    remedy: 'Send it again.',
  },
  { 'retry-after': '5' },
);

/** If there is no body; after an abort nobody reads the response. */
export const UNREAD: Readonly<Record<BodyRefusal, Refusal>> = {
  too_large: TOO_LARGE,
  overload: { ...NOT_STORED, headers: { ...NOT_STORED.headers, connection: 'close' } },
  aborted: NOT_STORED,
};

function refusal(
  status: number,
  code: string,
  title: string,
  sentences: Pick<Problem, 'detail' | 'remedy'>,
  headers: Record<string, string> = {},
): Refusal {
  const problem: Problem = { type: 'about:blank', title, status, code, ...sentences };
  const body = JSON.stringify(problem);
  const described = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  return { status, headers: { ...described, ...headers }, body };
}
