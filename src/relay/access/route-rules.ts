import type { Scope } from '../../contract/token';

export interface RouteRule {
  /** What an API token needs; null: any login will do. */
  scope: Scope | null;
  /** What the audit log calls it; null where it changes nothing. */
  action: string | null;
  /** Its answer shows a secret, this once. */
  showsSecret: boolean;
}

const reads = (scope: Scope | null): RouteRule => ({ scope, action: null, showsSecret: false });
const acts = (scope: Scope, action: string): RouteRule => ({ scope, action, showsSecret: false });
const shows = (scope: Scope, action: string): RouteRule => ({ scope, action, showsSecret: true });

/** Every route behind the guard: the scope it needs, and what it is called in the audit log. The admin token and a session have all scopes. */
export const ROUTE_RULES: Readonly<Record<string, RouteRule>> = {
  'GET /api/v1/openapi.json': reads(null),
  'GET /api/v1/stats': reads('read'),
  'GET /api/v1/stats/series': reads('read'),
  'GET /api/v1/stats/targets': reads('read'),
  'GET /api/v1/stats/targets/:id/errors': reads('read'),
  'POST /api/v1/ledger': reads('read'),

  'GET /api/v1/events': reads('read'),
  'GET /api/v1/events/export': reads('read'),
  'GET /api/v1/events/:id': reads('read'),
  'GET /api/v1/events/:id/body': reads('read'),
  'POST /api/v1/events/:id/replay': acts('operate', 'event.replay'),
  'POST /api/v1/events/:id/resend': acts('operate', 'event.resend'),
  'GET /api/v1/duplicates': reads('read'),
  'POST /api/v1/duplicates/:id/release': acts('operate', 'duplicate.release'),
  'POST /api/v1/duplicates/:id/dismiss': acts('operate', 'duplicate.dismiss'),
  'GET /api/v1/rejections': reads('read'),
  'GET /api/v1/rejections/:id/body': reads('read'),
  'POST /api/v1/rejections/:id/recheck': acts('operate', 'rejection.recheck'),
  'GET /api/v1/alerts': reads('read'),
  'GET /api/v1/outages': reads('read'),
  'POST /api/v1/outages/:id/dismiss': acts('operate', 'outage.dismiss'),

  'GET /api/v1/targets': reads('read'),
  'GET /api/v1/targets/:id': reads('read'),
  'POST /api/v1/targets': shows('operate', 'target.create'),
  'POST /api/v1/targets/preview': reads('read'),
  'POST /api/v1/targets/test': acts('operate', 'target.try'),
  'PATCH /api/v1/targets/:id': acts('operate', 'target.change'),
  'DELETE /api/v1/targets/:id': acts('operate', 'target.remove'),
  'POST /api/v1/targets/:id/pause': acts('operate', 'target.pause'),
  'POST /api/v1/targets/:id/resume': acts('operate', 'target.resume'),
  'POST /api/v1/targets/:id/secret/rotate': shows('operate', 'target.rotate_secret'),
  'POST /api/v1/targets/:id/test': acts('operate', 'target.test'),

  'GET /api/v1/deliveries': reads('read'),
  'GET /api/v1/deliveries/:id': reads('read'),
  'POST /api/v1/deliveries/:id/retry': acts('operate', 'delivery.retry'),
  'POST /api/v1/deliveries/:id/discard': acts('operate', 'delivery.discard'),
  'POST /api/v1/deliveries/retry': acts('operate', 'delivery.retry_many'),
  'POST /api/v1/deliveries/discard': acts('operate', 'delivery.discard_many'),
  'GET /api/v1/dead-letters': reads('read'),
  'GET /api/v1/dead-letters/causes': reads('read'),
  'GET /api/v1/deliveries/jobs': reads('read'),
  'GET /api/v1/deliveries/jobs/:id': reads('read'),
  'POST /api/v1/deliveries/jobs/:id/cancel': acts('operate', 'delivery.cancel_job'),

  'GET /api/v1/replays': reads('read'),
  'GET /api/v1/replays/:id': reads('read'),
  'POST /api/v1/replays': acts('operate', 'replay.start'),
  'POST /api/v1/replays/preview': reads('read'),
  'POST /api/v1/replays/:id/pause': acts('operate', 'replay.pause'),
  'POST /api/v1/replays/:id/resume': acts('operate', 'replay.resume'),
  'POST /api/v1/replays/:id/cancel': acts('operate', 'replay.cancel'),

  'GET /api/v1/connection': reads('read'),
  'POST /api/v1/connection/disconnect': acts('admin', 'connection.disconnect'),
  'GET /oauth/connect': acts('admin', 'connection.ask_consent'),
  'POST /oauth/connect': acts('admin', 'connection.ask_consent'),
  'GET /api/v1/subscription': reads('read'),
  'POST /api/v1/subscription/repair': acts('operate', 'subscription.repair'),
  'POST /api/v1/subscription/rotate': acts('operate', 'subscription.rotate'),
  'POST /api/v1/subscription/pause': acts('operate', 'subscription.pause'),
  'POST /api/v1/subscription/resume': acts('operate', 'subscription.resume'),
  'DELETE /api/v1/subscription/webhooks/:id': acts('operate', 'subscription.delete_reported'),
  'POST /api/v1/subscription/probe': acts('operate', 'subscription.probe'),

  'GET /api/v1/sandbox': reads('read'),
  'PATCH /api/v1/sandbox/traffic': acts('operate', 'sandbox.traffic'),
  'PATCH /api/v1/sandbox/faults': acts('operate', 'sandbox.faults'),
  'POST /api/v1/sandbox/events': acts('operate', 'sandbox.event'),

  'GET /api/v1/session': reads(null),
  // Recorded where a session ends: a token has none to end.
  'DELETE /api/v1/session': reads(null),
  'POST /api/v1/login-links': shows('admin', 'login_link.create'),
  'GET /api/v1/sessions': reads('admin'),
  'DELETE /api/v1/sessions': acts('admin', 'session.revoke_all'),
  'DELETE /api/v1/sessions/:id': acts('admin', 'session.revoke'),
  'GET /api/v1/tokens': reads('admin'),
  'POST /api/v1/tokens': shows('admin', 'token.create'),
  'DELETE /api/v1/tokens/:id': acts('admin', 'token.revoke'),
  'GET /api/v1/audit': reads('admin'),
  'GET /api/v1/settings': reads('admin'),
};

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method changes nothing by its meaning (RFC 9110, 9.2.1). */
export const isSafe = (method: string): boolean => SAFE_METHODS.has(method);

/** A route that is not listed is closed to all but `admin`, and recorded under its own name if it may change something. */
export function ruleOf(method: string, route: string): RouteRule {
  const listed = ROUTE_RULES[`${method === 'HEAD' ? 'GET' : method} ${route}`];
  return (
    listed ?? { scope: 'admin', action: isSafe(method) ? null : `${method} ${route}`, showsSecret: false }
  );
}
