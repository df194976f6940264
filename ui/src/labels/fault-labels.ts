interface FaultLabel {
  name: string;
  /** The visible effect, and how to trigger it. */
  effect: string;
}

const FAULT_LABELS: Readonly<Record<string, FaultLabel>> = {
  receiver_500: {
    name: 'Receiver: server error (500)',
    effect:
      'Deliveries to sample are retried. After a few failures its circuit breaker opens, until a probe succeeds.',
  },
  receiver_timeout: {
    name: 'Receiver: no response',
    effect: 'Each attempt at sample fails after its timeout of 10 s and is retried.',
  },
  receiver_410: {
    name: 'Receiver: gone (410)',
    effect:
      'The target sample is disabled, and what is queued for it becomes dead letters. Enable it on its page.',
  },
  notifications_duplicated: {
    name: 'Send everything twice',
    effect:
      'Each event is stored and delivered once; the duplicate is held back and listed on the event’s page under “Duplicates”.',
  },
  notifications_reordered: {
    name: 'Send out of order',
    effect: 'A later event overtakes an earlier one: events arrive in a different order than they occurred.',
  },
  api_401: {
    name: 'API: token expired (401)',
    effect:
      '“Check and repair now” under Connection renews the token and retries once before it reports a failure.',
  },
  api_403: {
    name: 'API: forbidden (403)',
    effect: '“Check and repair now” under Connection reports that Co-Pilot denied access, and what to do.',
  },
  api_429: {
    name: 'API: too many requests (429)',
    effect:
      '“Check and repair now” under Connection fails; the next check waits for as long as Co-Pilot requests.',
  },
  api_500: {
    name: 'API: server error (500)',
    effect:
      '“Check and repair now” under Connection fails and is retried automatically; events keep arriving.',
  },
  api_slow: {
    name: 'API: slow responses',
    effect:
      '“Check and repair now” under Connection times out after 8 s; whether the request was carried out is checked later.',
  },
  deals_403: {
    name: 'Deals: forbidden (403)',
    effect: '“Repair…” under Connection and “Import all deals” fail, and say which scope is missing.',
  },
  deals_page_500: {
    name: 'Deals: errors now and then (500)',
    effect: 'A repair under Connection repeats every third request, and still reads all deals.',
  },
  deals_page_repeated: {
    name: 'Deals: first page again',
    effect: 'A repair under Connection says that the list is incomplete, and treats no deal as deleted.',
  },
  token_reset: {
    name: 'Tokens: connection dropped',
    effect:
      'The next renewal of the access token fails and is retried. With “token expired” on, that happens immediately.',
  },
  token_500: {
    name: 'Tokens: server error (500)',
    effect:
      'The next renewal of the access token fails and is retried; the old token is used until it expires.',
  },
  token_html: {
    name: 'Tokens: HTML response',
    effect: 'The next renewal receives no token, keeps the old one and is retried.',
  },
  token_lost: {
    name: 'Tokens: response lost',
    effect:
      'The new tokens never arrive and the old refresh token is no longer valid: Connection asks for consent again.',
  },
};

/** The label of a fault; an unknown one is shown as is. */
export const faultLabel = (fault: string): FaultLabel => FAULT_LABELS[fault] ?? { name: fault, effect: '' };

/** The known faults, in display order. */
export const KNOWN_FAULTS: readonly string[] = Object.keys(FAULT_LABELS);
