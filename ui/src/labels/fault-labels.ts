interface FaultLabel {
  name: string;
  /** What one sees of it here, and how to bring it about. */
  seen: string;
}

/** The sandbox's faults, for who watches Switchboard bear them. */
const FAULT_LABELS: Readonly<Record<string, FaultLabel>> = {
  notifications_duplicated: {
    name: 'Send everything twice',
    seen: 'Each event is stored and delivered once; its repeat is held on the event’s page as “Came again”.',
  },
  notifications_reordered: {
    name: 'Send out of order',
    seen: 'A later event overtakes an earlier one: events arrive in another order than they happened.',
  },
  api_401: {
    name: 'API: token expired (401)',
    seen: '“Check and repair now” under Connection renews the token and tries once more before it says what failed.',
  },
  api_403: {
    name: 'API: forbidden (403)',
    seen: '“Check and repair now” under Connection says that Co-Pilot refused, and what to do.',
  },
  api_429: {
    name: 'API: too many requests (429)',
    seen: '“Check and repair now” under Connection fails; the next check waits as long as Co-Pilot asks for.',
  },
  api_500: {
    name: 'API: broken (500)',
    seen: '“Check and repair now” under Connection fails and is tried again by itself; events go on arriving.',
  },
  api_slow: {
    name: 'API: slow answers',
    seen: '“Check and repair now” under Connection gives up after 8 s: whether it was carried out is looked up later.',
  },
  token_reset: {
    name: 'Tokens: connection dropped',
    seen: 'The next renewal of the access token fails and is tried again. With “token expired” on, that is at once.',
  },
  token_500: {
    name: 'Tokens: broken (500)',
    seen: 'The next renewal of the access token fails and is tried again; the old token serves until it ends.',
  },
  token_html: {
    name: 'Tokens: a web page for an answer',
    seen: 'The next renewal gets something that is no token, keeps the old one and tries again.',
  },
  token_lost: {
    name: 'Tokens: the answer is lost',
    seen: 'The new tokens never arrive, and the old refresh token is used up: Connection asks for consent again.',
  },
};

/** A fault in words; one that is newer than this page keeps its own name. */
export const faultLabel = (fault: string): FaultLabel => FAULT_LABELS[fault] ?? { name: fault, seen: '' };

/** Those that this page knows, the ones that are seen soonest first. */
export const KNOWN_FAULTS: readonly string[] = Object.keys(FAULT_LABELS);
