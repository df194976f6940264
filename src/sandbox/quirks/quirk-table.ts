export type Quirk = { description: string } & (
  | { kind: 'choice'; default: string; /** Each with its description. */ values: Record<string, string> }
  | { kind: 'amount'; default: number; min: number; max: number }
  | { kind: 'header'; default: string }
  /** A failure that the sandbox can simulate; off by default. */
  | { kind: 'fault' }
);

const fault = (description: string) => ({ kind: 'fault', description }) as const;

/**
 * What can be changed about the sandbox: how it interprets what the document leaves open, and faults. The JSON
 * routes, the panel, the command's help and `docs/sandbox.md` are derived from this table or checked against it.
 */
export const QUIRKS = {
  signature_header: {
    kind: 'header',
    description: 'The name of the header that carries the signature (document, 5.6).',
    default: 'x-copilot-signature',
  },
  signature_format: {
    kind: 'choice',
    description: 'The format of the signature in its header (document, 5.6).',
    default: 'bare',
    values: {
      bare: 'the 64 hexadecimal digits alone',
      sha256: '`sha256=<digits>`',
      t_v1: '`t=<seconds since 1970 of the attempt>,v1=<digits>`; the signature covers only the body',
    },
  },
  list_format: {
    kind: 'choice',
    description: 'The JSON around a list (document, 4.4).',
    default: 'data',
    values: {
      data: '`{"data": […]}`',
      array: 'a bare `[…]`',
      named: '`{"webhooks": […]}`, named after the resource',
      items: '`{"items": […]}`',
      nested: '`{"result": {"webhooks": […], "paging": {…}}}`, named after the resource',
    },
  },
  list_paging: {
    kind: 'choice',
    description: 'How lists are paged (document, 4.4 and 8). The next page is also named by a `Link` header.',
    default: 'none',
    values: {
      none: 'no paging',
      cursor: '`next_cursor` beside the list, null on the last page; the next page is at `?cursor=…`',
      page: '`page` and `pages` beside the list; the next page is at `?page=…`, from 1',
      offset: '`offset`, `limit` and `total` beside the list; the next page is at `?offset=…`, from 0',
    },
  },
  page_size: {
    kind: 'amount',
    description: 'Records per page, if lists are paged (document, 8).',
    default: 50,
    min: 1,
    max: 1_000,
  },
  deals_order: {
    kind: 'choice',
    description: 'The order of the deals in their list (document, 4.7).',
    default: 'id',
    values: { id: 'by id', changed: 'by `updated_at`, the latest first' },
  },
  deals_fields: {
    kind: 'choice',
    description: 'The fields of the deals in their list (document, 4.7).',
    default: 'all',
    values: { all: 'those of an event', no_updated_at: 'without `updated_at`' },
  },
  create_response: {
    kind: 'choice',
    description: 'The response to creating a webhook (document, 4.3).',
    default: 'record',
    values: {
      record: '201 and the record',
      data: '201 and `{"data": <record>}`',
      webhook: '201 and `{"webhook": <record>}`',
      empty_201: '201 and no body',
      empty_204: '204',
    },
  },
  webhook_limit: {
    kind: 'amount',
    description: 'The maximum number of webhooks per application; 0 means no limit (document, 8).',
    default: 0,
    min: 0,
    max: 1_000,
  },
  webhook_limit_status: {
    kind: 'choice',
    description: 'The status if the limit is exceeded (document, 7 and 8).',
    default: '409',
    values: { '409': 'Conflict', '422': 'Unprocessable Content' },
  },
  refresh_token: {
    kind: 'choice',
    description: 'Whether a refresh returns a new refresh token (document, 4.2 and 5.4).',
    default: 'rotated',
    values: {
      rotated: 'yes; the old one is used up, and its reuse revokes all tokens of the grant',
      reusable: 'no; the old one remains valid',
    },
  },
  token_lifetime_seconds: {
    kind: 'amount',
    description: 'The lifetime of access tokens issued from now on (document, 5.3: 3600).',
    default: 3_600,
    min: 1,
    max: 86_400,
  },
  retry_delay: {
    kind: 'choice',
    description: 'What the delay of an attempt is relative to (document, 6.3).',
    default: 'since_last_attempt',
    values: {
      since_last_attempt: 'the failure of the previous attempt: 5 s, then another 25 s',
      since_first_attempt: 'the start of the first attempt: 5 s and 25 s after it',
    },
  },
  retry_timestamp: {
    kind: 'choice',
    description: 'The `timestamp` of a retried notification (document, 6.2 and 6.3).',
    default: 'original',
    values: {
      original: 'the time of the event; all attempts send the same bytes',
      new: 'the time of the attempt; each sends other bytes and another signature',
    },
  },
  retry_after_seconds: {
    kind: 'amount',
    description: 'The `Retry-After` of the fault `api_429` (document, 7 and 8).',
    default: 5,
    min: 0,
    max: 3_600,
  },
  slow_response_seconds: {
    kind: 'amount',
    description: 'The delay of responses while the fault `api_slow` is on.',
    default: 20,
    min: 1,
    max: 600,
  },
  token_reset: fault('The token endpoint drops the connection and does nothing else.'),
  token_500: fault('The token endpoint responds with 500 and does nothing else.'),
  token_html: fault('The token endpoint responds with 200 and an HTML page and does nothing else.'),
  token_lost: fault('The token endpoint processes the request and drops the connection before responding.'),
  api_401: fault('The API responds with 401 as for an expired token.'),
  api_403: fault('The API responds with 403.'),
  api_429: fault('The API responds with 429 and the `Retry-After` of `retry_after_seconds`.'),
  api_500: fault('The API responds with 500 and does nothing else.'),
  api_slow: fault('The API processes the request and delays the response by `slow_response_seconds`.'),
  deals_403: fault('The list of deals responds with 403, as without the scope.'),
  deals_page_500: fault('Every third request for the list of deals responds with 500.'),
  deals_page_repeated: fault('Every page of the list of deals has the records of the first.'),
  notifications_duplicated: fault('A notification is sent twice at the same time, with the same bytes.'),
  notifications_reordered: fault(
    'A notification is held until the next one for its webhook has been attempted, for at most 3 s.',
  ),
  receiver_500: fault('The receiver of deliveries at `/receiver` responds with 500.'),
  receiver_timeout: fault('The receiver of deliveries does not respond.'),
  receiver_410: fault('The receiver of deliveries responds with 410: it is gone for good.'),
} as const satisfies Record<string, Quirk>;

export type QuirkName = keyof typeof QUIRKS;
