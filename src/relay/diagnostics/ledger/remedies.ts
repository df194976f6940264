import type { LedgerRule } from '../../../contract/ledger';

const HARMLESS = 'Harmless: nothing is sent or lost because of it, and retention may remove it later.';

/** What to do about the findings of each rule. Copy `DATA_DIR` first in any case. */
export const REMEDIES: Record<LedgerRule, string> = {
  event_missing:
    'Check in Co-Pilot what changed in that period, or take the events from a backup: they are lost here.',
  event_unplanned:
    'Replay the event to the target that lacks it: POST /api/v1/events/<id>/replay with its target_ids.',
  delivery_state:
    'Retry it (POST /api/v1/deliveries/<id>/retry), which creates a new delivery, then discard this one if it is still queued.',
  delivery_attempts: 'Sending is not affected, but the number of attempts left may be wrong.',
  delivery_orphan: HARMLESS,
  attempt_orphan: HARMLESS,
  duplicate_orphan: HARMLESS,
  identity_orphan:
    'Its event is gone: see event_missing. If the notification is sent again, it is stored as a new event.',
  dead_letters:
    'Only a count is wrong; GET /api/v1/dead-letters lists the actual dead letters. Report it as a bug in Switchboard.',
  lane_heads:
    'Retry the first delivery of the lane (POST /api/v1/deliveries/<id>/retry), then discard it (…/discard): the next one then moves to the head.',
  delivery_stuck:
    'Restart the daemon, which loads all due deliveries. If the delivery is still stuck, retry it and discard this one.',
};
