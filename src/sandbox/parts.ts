import type { Clock } from './clock';
import type { Crm } from './crm/crm';
import type { Applications } from './oauth/applications';
import type { Grants } from './oauth/grants';
import type { PendingConsents } from './oauth/pending-consents';
import type { Quirks } from './quirks/quirks';
import type { SandboxLog } from './sandbox-log';
import type { State } from './state/state';
import type { Emitter } from './webhooks/emitter';
import type { Traffic } from './webhooks/traffic';
import type { Webhooks } from './webhooks/webhooks';

/** `ask` shows a consent page; `grant` consents automatically, for demos and tests without a browser. */
export type ConsentMode = 'ask' | 'grant';

/** The parts of a running sandbox, for its routes. */
export interface Parts {
  state: State;
  applications: Applications;
  grants: Grants;
  pendingConsents: PendingConsents;
  webhooks: Webhooks;
  crm: Crm;
  emitter: Emitter;
  traffic: Traffic;
  log: SandboxLog;
  clock: Clock;
  quirks: Quirks;
  consent: ConsentMode;
  /** Whether redirect URIs and webhooks may use http beyond loopback. */
  allowHttp: boolean;
}
