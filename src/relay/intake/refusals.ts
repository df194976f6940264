import type { Problem } from '../../contract/problem';

/** A refusal of a notification, written out once: a flood of them should cost little. */
export interface Refusal {
  status: number;
  body: string;
}

export const RETRY_AFTER_SECONDS = '5';

export const UNKNOWN_KEY = refusal(
  404,
  'unknown_key',
  'Not found',
  'No webhook is registered under this address.',
);

export const BAD_SIGNATURE = refusal(
  401,
  'bad_signature',
  'Unauthorized',
  'No header carries the HMAC-SHA256 of these bytes under the secret of this webhook.',
);

export const TOO_LARGE = refusal(
  413,
  'too_large',
  'Content too large',
  'The notification is larger than this hub accepts.',
  'The operator can raise SWITCHBOARD_BODY_LIMIT_BYTES.',
);

export const NOT_STORED = refusal(
  503,
  'not_stored',
  'Service unavailable',
  'The notification could not be stored safely in time. It was not stored.',
  'Send it again.',
);

export const notReadable = (status: number) =>
  refusal(
    status,
    'request_unreadable',
    'Bad request',
    'The request could not be read whole.',
    'Send it again.',
  );

function refusal(status: number, code: string, title: string, detail: string, remedy?: string): Refusal {
  const problem: Problem = {
    type: 'about:blank',
    title,
    status,
    code,
    detail,
    ...(remedy !== undefined && { remedy }),
  };
  return { status, body: JSON.stringify(problem) };
}
