import type { IncomingMessage, ServerResponse } from 'node:http';

export interface CopilotRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface CopilotResponse {
  status: number;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  contentType?: string;
  headers?: Record<string, string>;
}

/**
 * What happens instead of the usual response. `drop_request`: the connection is closed, and the request is not
 * processed. `drop_response`: the request is processed, and the connection closed without a response. `hang` and
 * `mute`: the same two, but the connection stays open.
 */
export type Misbehaviour = CopilotResponse | 'drop_response' | 'drop_request' | 'hang' | 'mute';

/** Method and path, with `:id` for the id of a webhook. */
export type Route =
  | 'HEAD /'
  | 'GET /oauth/authorize'
  | 'POST /oauth/token'
  | 'GET /v1/deals'
  | 'POST /v1/webhooks'
  | 'GET /v1/webhooks'
  | 'PATCH /v1/webhooks/:id'
  | 'DELETE /v1/webhooks/:id';

const ROUTES: Record<string, Route> = {
  'HEAD /': 'HEAD /',
  'GET /oauth/authorize': 'GET /oauth/authorize',
  'POST /oauth/token': 'POST /oauth/token',
  'GET /v1/deals': 'GET /v1/deals',
  'POST /v1/webhooks': 'POST /v1/webhooks',
  'GET /v1/webhooks': 'GET /v1/webhooks',
  'PATCH /v1/webhooks/:id': 'PATCH /v1/webhooks/:id',
  'DELETE /v1/webhooks/:id': 'DELETE /v1/webhooks/:id',
};

/** Null if the service has no such route. */
export function routeOf(method: string, path: string): Route | null {
  return ROUTES[`${method} ${path.replace(/^(\/v1\/webhooks)\/[^/]+$/, '$1/:id')}`] ?? null;
}

export function send(
  response: ServerResponse,
  { status, body, contentType, headers = {} }: CopilotResponse,
  location: string | null = null,
) {
  if (location !== null) response.setHeader('location', location);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (body === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', contentType ?? 'application/json');
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
