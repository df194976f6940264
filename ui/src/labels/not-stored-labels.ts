import type { NotStoredReason } from '../../../src/contract/stats';
import type { StateLabel } from './state-label';

/** Why something that came to the webhook's address was not stored. */
export const NOT_STORED_LABELS: Record<NotStoredReason, StateLabel> = {
  storage: {
    tone: 'bad',
    label: 'Disk failed',
    description: 'Responded 503: the database could not be written',
  },
  late: { tone: 'bad', label: 'Too slow', description: 'Responded 503: not on disk within 4 s' },
  overload: { tone: 'bad', label: 'Overloaded', description: 'Responded 503: too many notifications queued' },
  too_large: { tone: 'bad', label: 'Too large', description: 'Responded 413: exceeds the size limit' },
  aborted: { tone: 'warn', label: 'Aborted', description: 'The sender disconnected before the last byte' },
  wrong_method: {
    tone: 'warn',
    label: 'Not a POST',
    description: 'Responded 405: possibly redirected on the way',
  },
  wrong_path: {
    tone: 'bad',
    label: 'Wrong path',
    description: 'Responded 404: valid key on a different path',
  },
  internal_error: {
    tone: 'bad',
    label: 'Internal error',
    description: 'Responded 503 because of an error in Switchboard',
  },
  unknown_key: {
    tone: 'idle',
    label: 'Unknown key',
    description: 'Responded 404: not an address of this webhook',
  },
};
