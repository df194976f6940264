import type { EventType } from './event-types';

/** The access scopes of the document, 5.5. */
export const SCOPES = ['deals', 'contacts', 'tasks', 'scenarios', 'agents', 'analytics', 'webhooks'] as const;

export type Scope = (typeof SCOPES)[number];

/** In the authorize request scopes are separated by commas, in the token response by spaces (document, 5.5). */
export const SCOPE_SEPARATOR = { authorizeRequest: ',', tokenResponse: ' ' } as const;

/**
 * The scope whose resource an event type speaks of. Which scope an endpoint or an event requires is not shown (document,
 * 5.5); that a resource's events want the resource's scope is our reading.
 */
export const SCOPE_OF_EVENT: Readonly<Record<EventType, Scope>> = {
  'deal.created': 'deals',
  'deal.updated': 'deals',
  'deal.status_changed': 'deals',
  'deal.deleted': 'deals',
  'contact.created': 'contacts',
  'contact.updated': 'contacts',
  'task.created': 'tasks',
  'task.completed': 'tasks',
  'scenario.executed': 'scenarios',
  'agent.triggered': 'agents',
};
