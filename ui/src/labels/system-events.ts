import { SYSTEM_EVENT_PREFIX } from '@contract/constants';

/** Matches every system event; `*` does not. */
export const SYSTEM_EVENTS_PATTERN = `${SYSTEM_EVENT_PREFIX}*`;

/** The types whose words say too little on their own. */
const NAMES: Partial<Record<string, string>> = { [`${SYSTEM_EVENT_PREFIX}delivery.dead`]: 'dead letters' };

/** A system event type in a sentence: `relay.disk.low` becomes `disk low`. */
export const systemEventName = (type: string): string =>
  NAMES[type] ?? type.slice(SYSTEM_EVENT_PREFIX.length).replace(/[._]/g, ' ');

/** Whether an event type, or a pattern, is of system events. */
export const isSystemEvent = (type: string): boolean => type.startsWith(SYSTEM_EVENT_PREFIX);
