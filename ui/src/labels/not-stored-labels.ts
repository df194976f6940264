import type { NotStoredReason } from '../../../src/contract/stats';
import type { StateLabel } from './state-label';

/** Why something that came to the webhook's address was not stored. */
export const NOT_STORED_LABELS: Record<NotStoredReason, StateLabel> = {
  storage: { tone: 'bad', word: 'Disk failed', meaning: 'Responded 503: the database could not be written' },
  late: { tone: 'bad', word: 'Too slow', meaning: 'Responded 503: not on disk within 4 s' },
  overload: { tone: 'bad', word: 'Overloaded', meaning: 'Responded 503: too many notifications queued' },
  too_large: { tone: 'bad', word: 'Too large', meaning: 'Responded 413: exceeds the size limit' },
  aborted: { tone: 'warn', word: 'Aborted', meaning: 'The sender disconnected before the last byte' },
  wrong_method: {
    tone: 'warn',
    word: 'Not a POST',
    meaning: 'Responded 405: possibly redirected on the way',
  },
  wrong_path: { tone: 'bad', word: 'Wrong path', meaning: 'Responded 404: valid key on a different path' },
  internal_error: {
    tone: 'bad',
    word: 'Internal error',
    meaning: 'Responded 503 because of an error in Switchboard',
  },
  unknown_key: {
    tone: 'idle',
    word: 'Unknown key',
    meaning: 'Responded 404: not an address of this webhook',
  },
};
