/** A reading with a fixed set of values; `values` describes them. */
interface Choice {
  about: string;
  initial: string;
  values: Record<string, string>;
}

/** A reading that is an integer from `least` to `most`. */
interface Amount {
  about: string;
  initial: number;
  least: number;
  most: number;
}

/** A reading that is a header name. */
interface HeaderName {
  about: string;
  initial: string;
}

export type Reading = Choice | Amount | HeaderName;

/**
 * How the sandbox interprets what the document leaves open. The JSON routes, the panel, the command's help and
 * `docs/sandbox.md` all follow this table.
 */
export const READINGS = {
  signature_header: {
    about: 'The name of the header that carries the signature (document, 5.6).',
    initial: 'x-copilot-signature',
  },
  signature_shape: {
    about: 'The format of the signature in its header (document, 5.6).',
    initial: 'bare',
    values: {
      bare: 'the 64 hexadecimal digits alone',
      sha256: '`sha256=<digits>`',
      t_v1: '`t=<seconds since 1970 of the attempt>,v1=<digits>`; the signature covers only the body',
    },
  },
  list_shape: {
    about: 'The JSON around a list (document, 4.4).',
    initial: 'data',
    values: {
      data: '`{"data": […]}`',
      array: 'a bare `[…]`',
      named: '`{"webhooks": […]}`, named after the resource',
      items: '`{"items": […]}`',
    },
  },
  list_paging: {
    about: 'How lists are paged (document, 4.4 and 8). The next page is also named by a `Link` header.',
    initial: 'none',
    values: {
      none: 'no paging',
      cursor: '`next_cursor` beside the list, null on the last page; the next page is at `?cursor=…`',
      page: '`page` and `pages` beside the list; the next page is at `?page=…`, from 1',
    },
  },
  page_size: {
    about: 'Records per page, if lists are paged (document, 8).',
    initial: 50,
    least: 1,
    most: 1_000,
  },
  create_answer: {
    about: 'The response to creating a webhook (document, 4.3).',
    initial: 'record',
    values: {
      record: '201 and the record',
      data: '201 and `{"data": <record>}`',
      webhook: '201 and `{"webhook": <record>}`',
      empty_201: '201 and no body',
      empty_204: '204',
    },
  },
  webhook_limit: {
    about: 'The maximum number of webhooks per application; 0 means no limit (document, 8).',
    initial: 0,
    least: 0,
    most: 1_000,
  },
  webhook_limit_status: {
    about: 'The status if the limit is exceeded (document, 7 and 8).',
    initial: '409',
    values: { '409': 'Conflict', '422': 'Unprocessable Content' },
  },
  refresh_token: {
    about: 'Whether a refresh returns a new refresh token (document, 4.2 and 5.4).',
    initial: 'new',
    values: {
      new: 'yes; the old one is used up, and its reuse revokes all tokens of the grant',
      kept: 'no; the old one remains valid',
    },
  },
  token_life_seconds: {
    about: 'The lifetime of access tokens issued from now on (document, 5.3: 3600).',
    initial: 3_600,
    least: 1,
    most: 86_400,
  },
  retry_delay: {
    about: 'What the delay of an attempt is relative to (document, 6.3).',
    initial: 'since_last_attempt',
    values: {
      since_last_attempt: 'the failure of the previous attempt: 5 s, then another 25 s',
      since_first_attempt: 'the start of the first attempt: 5 s and 25 s after it',
    },
  },
  retry_stamp: {
    about: 'The `timestamp` of a retried notification (document, 6.2 and 6.3).',
    initial: 'kept',
    values: {
      kept: 'the time of the event; all attempts send the same bytes',
      anew: 'the time of the attempt; each sends other bytes and another signature',
    },
  },
  retry_after_seconds: {
    about: 'The `Retry-After` of the fault `api_429` (document, 7 and 8).',
    initial: 5,
    least: 0,
    most: 3_600,
  },
  slow_answer_seconds: {
    about: 'The delay of responses while the fault `api_slow` is on.',
    initial: 20,
    least: 1,
    most: 600,
  },
} as const satisfies Record<string, Reading>;

type ValueOf<R> = R extends { values: Record<infer V, string> }
  ? V
  : R extends { least: number }
    ? number
    : string;

export type Readings = { -readonly [Name in keyof typeof READINGS]: ValueOf<(typeof READINGS)[Name]> };

/** The current readings. They may change at any time, so callers must not cache them. */
export class LiveReadings {
  private values: Readings;

  constructor(changes: Partial<Readings> = {}) {
    const initial = Object.entries(READINGS).map(([name, reading]) => [name, reading.initial]);
    this.values = { ...(Object.fromEntries(initial) as Readings), ...changes };
  }

  get now(): Readonly<Readings> {
    return this.values;
  }

  change(changes: Partial<Readings>): void {
    this.values = { ...this.values, ...changes };
  }
}
