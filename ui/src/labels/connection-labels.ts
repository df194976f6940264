import type { Connection, ConnectionState } from '../../../src/contract/connection';
import type { Probe } from '../../../src/contract/probe';
import type { Drift, Subscription, SubscriptionState } from '../../../src/contract/subscription';
import type { StateLabel } from './state-label';

/** The states of the connection; what it says in full comes from the daemon. */
export const CONNECTION_LABELS: Record<ConnectionState, StateLabel> = {
  not_connected: { tone: 'warn', word: 'Not connected', meaning: 'Not authorized yet' },
  connected: { tone: 'ok', word: 'Connected', meaning: 'The authorization is valid' },
  renewing: { tone: 'busy', word: 'Renewing', meaning: 'A new access token is being fetched' },
  renewal_interrupted: { tone: 'warn', word: 'Renewal interrupted', meaning: 'The outcome is unknown' },
  client_refused: {
    tone: 'bad',
    word: 'Client rejected',
    meaning: 'Co-Pilot rejects the client id or secret',
  },
  consent_needed: { tone: 'bad', word: 'Consent needed', meaning: 'The authorization is no longer valid' },
  unreachable: { tone: 'bad', word: 'Unreachable', meaning: 'Co-Pilot does not respond as expected' },
};

const SUBSCRIPTION_LABELS: Record<SubscriptionState, StateLabel> = {
  none: { tone: 'warn', word: 'Not subscribed', meaning: 'No webhook is registered at Co-Pilot' },
  registering: { tone: 'busy', word: 'Registering', meaning: 'The webhook is being registered' },
  active: { tone: 'ok', word: 'Subscribed', meaning: 'Co-Pilot sends events to this webhook' },
  paused: { tone: 'warn', word: 'Paused', meaning: 'Paused at Co-Pilot: events during the pause are lost' },
  failed: { tone: 'bad', word: 'Rejected', meaning: 'Co-Pilot rejected the registration' },
};

const NOT_CHECKED: StateLabel = {
  tone: 'warn',
  word: 'Not checked',
  meaning: 'The webhook could not be verified at Co-Pilot',
};

/** The state of the subscription; what it says in full comes from the daemon. */
export const subscriptionLabel = ({ state, problem }: Subscription): StateLabel =>
  state === 'active' && problem !== null ? NOT_CHECKED : SUBSCRIPTION_LABELS[state];

/** How the last proof of the loop came out. */
export function probeLabel(probe: Probe | null): StateLabel {
  if (probe === null) return { tone: 'idle', word: 'Not tested yet', meaning: 'No test has run yet' };
  if (!probe.reached) return { tone: 'bad', word: 'Not reachable', meaning: 'The request did not arrive' };
  return probe.cause === null
    ? { tone: 'ok', word: 'Reachable', meaning: 'The request arrived unchanged' }
    : { tone: 'warn', word: 'Reachable, but altered', meaning: 'Something on the path changes requests' };
}

/** What was found otherwise at Co-Pilot. */
export const DRIFT_FIELD_LABELS: Record<Drift['field'], string> = {
  events: 'Events',
  active: 'Active',
  signature_header: 'Signature header',
  webhook: 'Webhook',
  webhook_id: 'Webhook id',
  url: 'Address',
};

/** What was done about it. */
export const DRIFT_LABELS: Record<Drift['outcome'], StateLabel> = {
  repaired: { tone: 'ok', word: 'Repaired', meaning: 'Restored to the expected value' },
  accepted: { tone: 'idle', word: 'Accepted', meaning: 'The new value is expected from now on' },
  kept: { tone: 'bad', word: 'Not repaired', meaning: 'Co-Pilot did not accept the repair' },
};

/** Whether only a person can set the connection right, by giving consent. */
export const needsConsent = (connection: Connection): boolean =>
  connection.state === 'not_connected' ||
  connection.state === 'consent_needed' ||
  connection.scopes_missing.length > 0;
