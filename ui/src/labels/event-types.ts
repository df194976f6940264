import type { EventType } from '../../../src/protocol/event-types';

const MEANINGS: Record<EventType, string> = {
  'deal.created': 'A deal was made',
  'deal.updated': 'A deal’s fields changed',
  'deal.status_changed': 'A deal moved to another status',
  'deal.deleted': 'A deal was removed',
  'contact.created': 'A contact was made',
  'contact.updated': 'A contact’s fields changed',
  'task.created': 'A task was made',
  'task.completed': 'A task was done',
  'scenario.executed': 'A scenario ran',
  'agent.triggered': 'An agent was set off',
};

function isEventType(text: string): text is EventType {
  return text in MEANINGS;
}

/** Co-Pilot's event types, in the order of its document. */
export const EVENT_TYPES = Object.keys(MEANINGS).filter(isEventType);

/** What an event type tells. */
export const meaningOf = (type: EventType): string => MEANINGS[type];

/** The types of one resource (`deal`), for choosing them together. */
export function typesByResource(): { resource: string; types: EventType[] }[] {
  const resources = [...new Set(EVENT_TYPES.map((type) => type.slice(0, type.indexOf('.'))))];
  return resources.map((resource) => ({
    resource,
    types: EVENT_TYPES.filter((type) => type.startsWith(`${resource}.`)),
  }));
}
