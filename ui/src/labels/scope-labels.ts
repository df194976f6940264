import type { Scope } from '../../../src/contract/token';

/** What each scope lets a token do. */
export const SCOPE_LABELS: Record<Scope, string> = {
  read: 'Read events, deliveries, targets and the connection, including live updates.',
  operate: 'Everything in read, plus replay, retry, manage targets and the subscription.',
  listen: 'Connect to the live socket only.',
  admin: 'Everything, including settings, tokens and sessions.',
};
