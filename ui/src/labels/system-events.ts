import type { OWN_TYPES } from '../../../src/contract/event';

const OWN: typeof OWN_TYPES = 'relay.';

/** The pattern that takes every event of Switchboard's own. */
export const OWN_PATTERN = `${OWN}*`;

/** What a type of Switchboard's own is called in a sentence: `relay.disk.low` is `disk low`. */
export const nameOfOwn = (type: string): string => type.slice(OWN.length).replace(/[._]/g, ' ');

/** Whether an event type, or a pattern of them, means what Switchboard tells of itself. `*` does not. */
export const isOwnType = (type: string): boolean => type.startsWith(OWN);
