/** The event types, in the order of the document (6.1). */
export const EVENT_TYPES = [
  'deal.created',
  'deal.updated',
  'deal.status_changed',
  'deal.deleted',
  'contact.created',
  'contact.updated',
  'task.created',
  'task.completed',
  'scenario.executed',
  'agent.triggered',
] as const;

/** The kinds of entities whose present state can be read from the service's API (document, 4.7). */
export const READABLE_KINDS: readonly string[] = ['deal'];

export type EventType = (typeof EVENT_TYPES)[number];
