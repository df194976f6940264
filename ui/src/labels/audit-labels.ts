import type { AuditEntry } from '@contract/audit';
import type { OpenSession } from '@contract/session';
import { ACTOR_LABELS } from './actor-labels';
import { browserLabel } from './browser-labels';

/** Resources by the prefix of their actions. */
export const SUBJECT_LABELS = {
  target: 'Targets',
  manifest: 'Manifests',
  delivery: 'Deliveries',
  event: 'Events',
  replay: 'Replays',
  repair: 'Repairs',
  consumer: 'Consumers',
  duplicate: 'Duplicates',
  rejection: 'Quarantine',
  outage: 'Outages',
  issue: 'Acknowledgements',
  payload_type: 'Schemas of payloads',
  saved_view: 'Saved views',
  connection: 'Connection',
  subscription: 'Subscription',
  token: 'API tokens',
  session: 'Sessions',
  login_link: 'Login links',
  backup: 'Backups',
  sandbox: 'Sandbox',
} as const;

const ACTION_LABELS: Record<string, string> = {
  'event.replay': 'Event replayed',
  'event.erase': 'Erasure started',
  'event.resend': 'Event resent with edited payload',
  'duplicate.release': 'Duplicate released',
  'duplicate.dismiss': 'Duplicate dismissed',
  'rejection.recheck': 'Quarantined notification rechecked',
  'rejection.delete': 'Quarantined notification deleted',
  'outage.dismiss': 'Outage dismissed',
  'issue.snooze': 'Acknowledged on the Overview',
  'issue.unsnooze': 'Acknowledgement ended',
  'saved_view.create': 'View saved',
  'saved_view.change': 'Saved view updated',
  'saved_view.remove': 'Saved view deleted',
  'payload_type.accept': 'Change of payloads accepted',
  'payload_type.change': 'Paths of payloads configured',
  'payload_type.remove': 'Schema of payloads forgotten',
  'target.create': 'Target created',
  'target.change': 'Target updated',
  'target.disable': 'Target disabled',
  'target.remove': 'Target deleted',
  'target.test_settings': 'Address tested',
  'target.pause': 'Target paused',
  'target.resume': 'Target resumed',
  'target.rotate_secret': 'Target secret rotated',
  'target.test': 'Target tested',
  'target.exam': 'Receiver examined',
  'manifest.apply': 'Manifest applied',
  'delivery.retry': 'Delivery retried',
  'delivery.discard': 'Delivery discarded',
  'delivery.retry_many': 'Dead letters retried',
  'delivery.discard_many': 'Dead letters discarded',
  'delivery.cancel_job': 'Dead-letter job cancelled',
  'repair.start': 'Repair started',
  'repair.apply': 'Repair applied',
  'repair.cancel': 'Repair cancelled',
  'replay.start': 'Replay started',
  'replay.pause': 'Replay paused',
  'replay.resume': 'Replay resumed',
  'replay.cancel': 'Replay cancelled',
  'consumer.create': 'Consumer created',
  'consumer.change': 'Consumer updated',
  'consumer.reset': 'Consumer reset',
  'consumer.remove': 'Consumer deleted',
  'backup.create': 'Backup requested',
  'connection.ask_consent': 'Consent requested',
  'connection.connect': 'Connected to Co-Pilot',
  'connection.disconnect': 'Disconnected from Co-Pilot',
  'subscription.repair': 'Subscription checked and repaired',
  'subscription.rotate': 'Subscription secret rotated',
  'subscription.pause': 'Paused at Co-Pilot',
  'subscription.resume': 'Resumed at Co-Pilot',
  'subscription.delete_reported': 'Reported webhook deleted at Co-Pilot',
  'subscription.check_reachability': 'Reachability tested',
  'token.create': 'API token created',
  'token.revoke': 'API token revoked',
  'session.open': 'Signed in',
  'session.close': 'Signed out',
  'session.revoke': 'Session ended',
  'session.revoke_all': 'All sessions ended',
  'login_link.create': 'Login link created',
  'sandbox.traffic': 'Sandbox traffic changed',
  'sandbox.faults': 'Sandbox faults changed',
  'sandbox.event': 'Sandbox event created',
};

/** The label of an action; an unknown one is shown as is. */
export const actionLabel = (action: string): string => ACTION_LABELS[action] ?? action;

/** The label of an actor, with the name of a token; an open session is named by its browser, an ended one by nothing. */
export function actorLabel(
  { kind, id, name }: AuditEntry['actor'],
  sessions: readonly Pick<OpenSession, 'id' | 'user_agent' | 'current'>[] = [],
): string {
  const label = ACTOR_LABELS[kind];
  if (kind === 'session') {
    const session = sessions.find((one) => one.id === id);
    if (session === undefined) return label;
    return session.current ? 'This browser' : `${label}, ${browserLabel(session.user_agent)}`;
  }
  if (name !== null) return `${label} “${name}”`;
  return id === null ? label : `${label} ${id}`;
}
