import type { EventType } from '../../../src/protocol/event-types';
import { SYSTEM_EVENTS_PATTERN } from './system-events';

/** Of every type, in the order of Co-Pilot's document. */
const ORDER: Record<EventType, true> = {
  'deal.created': true,
  'deal.updated': true,
  'deal.status_changed': true,
  'deal.deleted': true,
  'contact.created': true,
  'contact.updated': true,
  'task.created': true,
  'task.completed': true,
  'scenario.executed': true,
  'agent.triggered': true,
};

const isEventType = (text: string): text is EventType => text in ORDER;

/** Co-Pilot's event types. */
export const EVENT_TYPES = Object.keys(ORDER).filter(isEventType);

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
