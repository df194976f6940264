import type { RepairAction, RepairState } from '@contract/repair';
import type { StateLabel } from './state-label';

/** How the states of repairs are shown. */
export const REPAIR_LABELS: Record<RepairState, StateLabel> = {
  reading: { tone: 'busy', label: 'Reading', description: 'All deals are read from Co-Pilot' },
  settling: {
    tone: 'busy',
    label: 'Settling',
    description: 'It waits for 35 s for notifications of changes that were already read',
  },
  previewed: { tone: 'ok', label: 'Previewed', description: 'It can be applied for 15 minutes' },
  applying: { tone: 'busy', label: 'Applying', description: 'Synthetic events are stored and sent' },
  done: { tone: 'ok', label: 'Done', description: 'It has ended' },
  cancelled: { tone: 'idle', label: 'Cancelled', description: 'What was sent stays' },
  failed: { tone: 'bad', label: 'Failed', description: 'It has ended early' },
};

/** What a deal is that differs. */
export const REPAIR_ACTIONS: Record<RepairAction, string> = {
  changed: 'changed',
  missing: 'not known',
  absent: 'absent',
};
