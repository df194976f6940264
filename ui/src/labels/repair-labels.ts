import type { RepairAction, RepairCounts, RepairState } from '@contract/repair';
import type { StateLabel } from './state-label';

/** How the states of repairs are shown. */
export const REPAIR_LABELS: Record<RepairState, StateLabel> = {
  reading: {
    tone: 'busy',
    label: 'Reading',
    description: 'All deals are read from Co-Pilot, one request a second',
  },
  settling: {
    tone: 'busy',
    label: 'Waiting',
    description: 'Notifications of what was read may still be on their way, and take precedence',
  },
  previewed: {
    tone: 'warn',
    label: 'Preview',
    description: 'Nothing was sent yet; apply it within 15 minutes',
  },
  applying: { tone: 'busy', label: 'Applying', description: 'Synthetic events are stored and sent' },
  done: { tone: 'ok', label: 'Done', description: 'It is complete' },
  cancelled: { tone: 'idle', label: 'Cancelled', description: 'What was sent stays' },
  failed: { tone: 'bad', label: 'Failed', description: 'It has ended early' },
};

/** The deals by the result of the comparison. */
export const REPAIR_COUNTS: Record<keyof RepairCounts, string> = {
  same: 'as known',
  changed: 'changed',
  missing: 'not known',
  absent: 'deleted at Co-Pilot',
  arrived_meanwhile: 'with an event meanwhile',
  older: 'older than known',
  unreadable: 'unreadable',
};

/** What a deal is that differs. */
export const REPAIR_ACTIONS: Record<RepairAction, string> = {
  changed: 'changed',
  missing: 'not known',
  absent: 'deleted at Co-Pilot',
};
