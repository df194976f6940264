import type { NotStoredReason } from '../../../src/contract/stats';
import type { StateLabel } from './state-label';

/** Why something that came to the webhook's address was not stored. */
export const NOT_STORED_LABELS: Record<NotStoredReason, StateLabel> = {
  storage: { tone: 'bad', word: 'Disk failed', meaning: 'Answered 503: the database could not be written' },
  late: { tone: 'bad', word: 'Too slow', meaning: 'Answered 503: not on disk within 4 s' },
  overload: { tone: 'bad', word: 'Overloaded', meaning: 'Answered 503: more came in at once than may wait' },
  too_large: { tone: 'bad', word: 'Too large', meaning: 'Answered 413: larger than is accepted' },
  aborted: { tone: 'warn', word: 'Broken off', meaning: 'The sender went away before the last byte' },
  wrong_method: { tone: 'warn', word: 'No POST', meaning: 'Answered 405: perhaps redirected on the way' },
  wrong_path: { tone: 'bad', word: 'Path changed', meaning: 'Answered 404: our key, on another path' },
  internal_error: { tone: 'bad', word: 'Fault', meaning: 'Answered 503 because of a fault in Switchboard' },
  unknown_key: { tone: 'idle', word: 'Unknown key', meaning: 'Answered 404: the address is not ours' },
};
