import type { Connection, ConnectionState } from '@contract/connection';
import type { ReachabilityCheck } from '@contract/reachability';
import type { Drift, Subscription, SubscriptionState } from '@contract/subscription';
import type { StateLabel } from './state-label';

/** The states of the connection; the daemon provides the full description. */
export const CONNECTION_LABELS: Record<ConnectionState, StateLabel> = {
  not_connected: { tone: 'warn', label: 'Not connected', description: 'Not authorized yet' },
  connected: { tone: 'ok', label: 'Connected', description: 'The authorization is valid' },
  renewing: { tone: 'busy', label: 'Renewing', description: 'A new access token is being fetched' },
  renewal_interrupted: { tone: 'warn', label: 'Renewal interrupted', description: 'The outcome is unknown' },
  client_rejected: {
    tone: 'bad',
    label: 'Client rejected',
    description: 'Co-Pilot rejects the client id or secret',
  },
  consent_needed: {
    tone: 'bad',
    label: 'Consent needed',
    description: 'The authorization is no longer valid',
  },
  unreachable: { tone: 'bad', label: 'Unreachable', description: 'Co-Pilot does not respond as expected' },
};

const SUBSCRIPTION_LABELS: Record<SubscriptionState, StateLabel> = {
  none: { tone: 'warn', label: 'Not subscribed', description: 'No webhook is registered at Co-Pilot' },
  registering: { tone: 'busy', label: 'Registering', description: 'The webhook is being registered' },
  active: { tone: 'ok', label: 'Subscribed', description: 'Co-Pilot sends events to this webhook' },
  paused: {
    tone: 'warn',
    label: 'Paused',
    description: 'Paused at Co-Pilot: events during the pause are lost',
  },
  failed: { tone: 'bad', label: 'Rejected', description: 'Co-Pilot rejected the registration' },
};

const UNVERIFIED: StateLabel = {
  tone: 'warn',
  label: 'Webhook unverified',
  description: 'The webhook could not be verified at Co-Pilot',
};

const NOT_REGISTERED: StateLabel = {
  tone: 'warn',
  label: 'Not registered yet',
  description: 'The webhook could not be registered at Co-Pilot so far',
};

/** The state of the subscription; the daemon provides the full description. */
export function subscriptionLabel({ state, problem }: Subscription): StateLabel {
  if (problem !== null && state === 'active') return UNVERIFIED;
  if (problem !== null && state === 'registering') return NOT_REGISTERED;
  return SUBSCRIPTION_LABELS[state];
}

/** The result of the last reachability test. */
export function reachabilityLabel(check: ReachabilityCheck | null): StateLabel {
  if (check === null) return { tone: 'idle', label: 'Not tested yet', description: 'No test has run yet' };
  if (!check.reached)
    return { tone: 'bad', label: 'Not reachable', description: 'The request did not arrive' };
  return check.cause === null
    ? { tone: 'ok', label: 'Reachable', description: 'The request arrived unchanged' }
    : {
        tone: 'warn',
        label: 'Reachable, but altered',
        description: 'Something on the path changes requests',
      };
}

/** The fields that may differ at Co-Pilot. */
export const DRIFT_FIELD_LABELS: Record<Drift['field'], string> = {
  events: 'Events',
  active: 'Active',
  signature_header: 'Signature header',
  webhook: 'Webhook',
  webhook_id: 'Webhook id',
  url: 'Address',
};

/** How a difference was handled. */
export const DRIFT_LABELS: Record<Drift['outcome'], StateLabel> = {
  repaired: { tone: 'ok', label: 'Repaired', description: 'Restored to the expected value' },
  accepted: { tone: 'idle', label: 'Accepted', description: 'The new value is expected from now on' },
  kept: { tone: 'bad', label: 'Not repaired', description: 'Co-Pilot did not accept the repair' },
};

/** Whether the operator must authorize Switchboard at Co-Pilot. */
export const needsConsent = (connection: Connection): boolean =>
  connection.state === 'not_connected' ||
  connection.state === 'consent_needed' ||
  connection.scopes_missing.length > 0;
