import type { EventType } from '../../../src/protocol/event-types';
import { SYSTEM_EVENTS_PATTERN } from './system-events';

const DESCRIPTIONS: Record<EventType, string> = {
  'deal.created': 'A deal was created',
  'deal.updated': 'A deal was updated',
  'deal.status_changed': 'A deal moved to another status',
  'deal.deleted': 'A deal was deleted',
  'contact.created': 'A contact was created',
  'contact.updated': 'A contact was updated',
  'task.created': 'A task was created',
  'task.completed': 'A task was completed',
  'scenario.executed': 'A scenario ran',
  'agent.triggered': 'An agent was triggered',
};

function isEventType(text: string): text is EventType {
  return text in DESCRIPTIONS;
}

/** Co-Pilot's event types, in the order of its document. */
export const EVENT_TYPES = Object.keys(DESCRIPTIONS).filter(isEventType);

/** What an event type means. */
export const describeEventType = (type: EventType): string => DESCRIPTIONS[type];

/** The event types by resource, such as `deal`. */
export function typesByResource(): { resource: string; types: EventType[] }[] {
  const resources = [...new Set(EVENT_TYPES.map((type) => type.slice(0, type.indexOf('.'))))];
  return resources.map((resource) => ({
    resource,
    types: EVENT_TYPES.filter((type) => type.startsWith(`${resource}.`)),
  }));
}

/** Suggestions for a field of event types and patterns. */
export const TYPE_SUGGESTIONS = [
  {
    group: 'Event group',
    items: [...typesByResource().map(({ resource }) => `${resource}.*`), SYSTEM_EVENTS_PATTERN],
  },
  { group: 'Event type', items: [...EVENT_TYPES] },
];
