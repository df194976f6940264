import type { OWN_TYPES } from '../../../src/contract/event';

const PREFIX: typeof OWN_TYPES = 'relay.';

/** The pattern that takes every event of Switchboard's own. */
export const SYSTEM_EVENTS_PATTERN = `${PREFIX}*`;

/** What a type of Switchboard's own is called in a sentence: `relay.disk.low` is `disk low`. */
export const systemEventName = (type: string): string => type.slice(PREFIX.length).replace(/[._]/g, ' ');

/** Whether an event type, or a pattern of them, means what Switchboard tells of itself. `*` does not. */
export const isSystemEvent = (type: string): boolean => type.startsWith(PREFIX);
