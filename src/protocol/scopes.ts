import type { EventType } from './event-types';

/** The access scopes (document, 5.5). */
export const SCOPES = ['deals', 'contacts', 'tasks', 'scenarios', 'agents', 'analytics', 'webhooks'] as const;

export type Scope = (typeof SCOPES)[number];

/** In the authorize request scopes are separated by commas, in the token response by spaces (document, 5.5). */
export const SCOPE_SEPARATOR = { authorizeRequest: ',', tokenResponse: ' ' } as const;

/**
 * The scope of the resource that an event type concerns. The document (5.5) does not specify which scope an event
 * requires; we assume that of its resource.
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
