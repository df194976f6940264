import type { LedgerRule } from '../../../contract/ledger';

const HARMLESS =
  'Nothing is sent or lost because of it; it goes when retention removes what is as old, or stays without harm.';

/** What to do about what each rule finds. Whatever it is, a copy of `DATA_DIR` comes first. */
export const REMEDIES: Record<LedgerRule, string> = {
  event_missing:
    'Look up in Co-Pilot what changed in that time, or take the events from a backup: here they are gone.',
  event_unplanned:
    'Replay the event to the target that lacks it: POST /api/v1/events/<id>/replay with its target_ids.',
  delivery_state:
    'Retry it (POST /api/v1/deliveries/<id>/retry), which sends it as a delivery of its own, then discard this one where it is still open.',
  delivery_attempts: 'What is sent is not touched by it; how many tries are left may be.',
  delivery_orphan: HARMLESS,
  attempt_orphan: HARMLESS,
  duplicate_orphan: HARMLESS,
  identity_orphan:
    'The event that it was of is gone: see what is said of missing events. Sent again, it is stored anew.',
  dead_letters:
    'Only a number is wrong; GET /api/v1/dead-letters lists what was given up in truth. Report it as a fault of Switchboard.',
  lane_heads:
    'Retry the first delivery of the lane (POST /api/v1/deliveries/<id>/retry), then discard it (…/discard): what is behind it comes forward.',
  delivery_stuck:
    'Restart the daemon: it takes up all that is due. Should the delivery stay, retry it and discard this one.',
};
