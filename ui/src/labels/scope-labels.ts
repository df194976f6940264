import type { Scope } from '../../../src/contract/token';

/** What each scope lets a token do. */
export const SCOPE_LABELS: Record<Scope, string> = {
  read: 'See events, deliveries, targets and the connection, and follow what happens live.',
  operate: 'That, and act: replay, retry, change targets, look after the subscription.',
  listen: 'Open the live socket, and nothing else.',
  admin: 'Everything, these settings and logins included.',
};
