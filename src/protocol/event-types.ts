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

export type EventType = (typeof EVENT_TYPES)[number];
