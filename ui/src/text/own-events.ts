import type { OWN_TYPES } from '../../../src/contract/event';

const OWN: typeof OWN_TYPES = 'relay.';

/** The pattern that takes every event of Switchboard's own. */
export const OWN_PATTERN = `${OWN}*`;

/** Whether an event type, or a pattern of them, means what Switchboard tells of itself. `*` does not. */
export const isOwnType = (type: string): boolean => type.startsWith(OWN);
