/** A reading that takes one of a few values; `values` says what each does. */
interface Choice {
  about: string;
  initial: string;
  values: Record<string, string>;
}

/** A reading that takes a whole number from `least` to `most`. */
interface Amount {
  about: string;
  initial: number;
  least: number;
  most: number;
}

/** A reading that takes the name of a header. */
interface HeaderName {
  about: string;
  initial: string;
}

export type Reading = Choice | Amount | HeaderName;

/**
 * What the document leaves open and this sandbox can be told to read otherwise. The JSON routes, the panel's section, the
 * command line's help and `docs/sandbox.md` are all made from this table.
 */
export const READINGS = {
  signature_header: {
    about: 'The name of the header that carries the signature (document, 5.6).',
    initial: 'x-copilot-signature',
  },
  signature_shape: {
    about: 'How the signature stands in its header (document, 5.6).',
    initial: 'bare',
    values: {
      bare: 'the 64 hexadecimal digits and nothing else',
      sha256: '`sha256=<digits>`',
      t_v1: '`t=<seconds since 1970 of the attempt>,v1=<digits>`; the digits are those of the body alone',
    },
  },
  list_shape: {
    about: 'What a list stands in (document, 4.4).',
    initial: 'data',
    values: {
      data: '`{"data": […]}`',
      array: '`[…]`, bare',
      named: '`{"webhooks": […]}`, under the name of what is listed',
      items: '`{"items": […]}`',
    },
  },
  list_paging: {
    about: 'How a list is cut (document, 4.4 and 8). The next page is also in a `Link` header.',
    initial: 'none',
    values: {
      none: 'all at once',
      cursor: '`next_cursor` beside the list, null at its end; the next page at `?cursor=…`',
      page: '`page` and `pages` beside the list; the next one at `?page=…`, from 1',
    },
  },
  page_size: {
    about: 'How many records a page has, where lists are cut (document, 8).',
    initial: 50,
    least: 1,
    most: 1_000,
  },
  create_answer: {
    about: 'What creating a webhook answers (document, 4.3).',
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
    about: 'How many webhooks an application may have; 0 is no limit (document, 8).',
    initial: 0,
    least: 0,
    most: 1_000,
  },
  webhook_limit_status: {
    about: 'What creating one webhook too many answers (document, 7 and 8).',
    initial: '409',
    values: { '409': 'a conflict', '422': 'a request that cannot be carried out' },
  },
  refresh_token: {
    about: 'Whether a refresh brings a new refresh token (document, 4.2 and 5.4).',
    initial: 'new',
    values: {
      new: 'yes; the old one is used up, and a second use of it revokes all that was granted',
      kept: 'no; the old one stays valid',
    },
  },
  token_life_seconds: {
    about: 'How long access tokens live that are issued from now on (document, 5.3: 3600).',
    initial: 3_600,
    least: 1,
    most: 86_400,
  },
  retry_delay: {
    about: 'From when the delay of an attempt counts (document, 6.3).',
    initial: 'since_last_attempt',
    values: {
      since_last_attempt: 'from the failure of the attempt before: after 5 s, then after 25 s more',
      since_first_attempt: 'from the beginning of the first attempt: after 5 s, and after 25 s',
    },
  },
  retry_stamp: {
    about: 'The `timestamp` of a notification that is sent again (document, 6.2 and 6.3).',
    initial: 'kept',
    values: {
      kept: 'that of the event; all attempts carry the same bytes',
      anew: 'that of the attempt; each carries other bytes and another signature',
    },
  },
  retry_after_seconds: {
    about: 'What `Retry-After` says while the fault `api_429` is on (document, 7 and 8).',
    initial: 5,
    least: 0,
    most: 3_600,
  },
  slow_answer_seconds: {
    about: 'How late answers come while the fault `api_slow` is on.',
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

/** A value for each reading. */
export type Readings = { -readonly [Name in keyof typeof READINGS]: ValueOf<(typeof READINGS)[Name]> };

/** The readings in force, which may change at any time: whoever goes by one asks for it each time. */
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
