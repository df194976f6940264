import type { EventType } from './event-types';

/** A deal, as in the `data` of a notification (document, 2.1). Times are ISO 8601 UTC. */
export interface Deal {
  id: number;
  name: string;
  status_id: number;
  pipeline_id: number;
  responsible_user_id: number;
  created_at: string;
  updated_at: string;
  _links: { self: string };
}

/** The request body to create a webhook (document, 4.3). */
export interface WebhookRequest {
  url: string;
  events: EventType[];
  active: boolean;
  secret: string;
}

/** The token response of a code exchange (document, 2.4). `expires_in` is in seconds. */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** The body of a notification (document, 6.2). The document specifies `data` only for deal events. */
export interface Notification {
  event: EventType;
  timestamp: string;
  webhook_id: string;
  data: object;
}
