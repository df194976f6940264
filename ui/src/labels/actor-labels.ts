import type { ActorKind } from '@contract/audit';

/** Apart from the other labels of the audit log, which the first route does not need. */
export const ACTOR_LABELS: Record<ActorKind, string> = {
  admin_token: 'Admin token',
  command_line: 'Command line',
  session: 'Dashboard session',
  api_token: 'API token',
  user: 'User',
  login_link: 'Login link',
  browser: 'Browser, not signed in',
  switchboard: 'Switchboard',
};
