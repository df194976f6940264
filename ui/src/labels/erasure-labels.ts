import type { Erasure } from '@contract/erasure';
import type { StateLabel } from './state-label';

/** How the states of erasures are shown. */
export const ERASURE_LABELS: Record<Erasure['state'], StateLabel> = {
  erasing: { tone: 'busy', label: 'Erasing', description: 'Events are being erased' },
  cleaning: {
    tone: 'busy',
    label: 'Cleaning',
    description: 'Nothing shows the content any more; what is left of it on the disk is removed',
  },
  done: { tone: 'ok', label: 'Done', description: 'Nothing is left on the disk' },
};
