import type { Connection, ConnectionState } from '../../../src/contract/connection';
import type { Probe } from '../../../src/contract/probe';
import type { Drift, Subscription, SubscriptionState } from '../../../src/contract/subscription';
import type { StateLabel } from './state-label';

/** The states of the connection; what it says in full comes from the daemon. */
export const CONNECTION_LABELS: Record<ConnectionState, StateLabel> = {
  not_connected: { tone: 'warn', word: 'Not connected', meaning: 'Nobody has given consent yet' },
  connected: { tone: 'ok', word: 'Connected', meaning: 'The grant is valid' },
  renewing: { tone: 'busy', word: 'Renewing', meaning: 'A new access token is being fetched' },
  renewal_interrupted: { tone: 'warn', word: 'Renewal interrupted', meaning: 'Its outcome is not known' },
  client_refused: {
    tone: 'bad',
    word: 'Client refused',
    meaning: 'Co-Pilot refuses the client id or secret',
  },
  consent_needed: { tone: 'bad', word: 'Consent needed', meaning: 'The grant is no longer valid' },
  unreachable: { tone: 'bad', word: 'Unreachable', meaning: 'Co-Pilot does not answer as it should' },
};

const SUBSCRIPTION_LABELS: Record<SubscriptionState, StateLabel> = {
  none: { tone: 'warn', word: 'Not subscribed', meaning: 'Co-Pilot does not know where to send' },
  registering: { tone: 'busy', word: 'Registering', meaning: 'The registration is under way' },
  active: { tone: 'ok', word: 'Subscribed', meaning: 'Co-Pilot sends its events here' },
  paused: { tone: 'warn', word: 'Paused', meaning: 'Paused at Co-Pilot: what happens meanwhile is lost' },
  failed: { tone: 'bad', word: 'Refused', meaning: 'Co-Pilot refused the registration' },
};

const NOT_CHECKED: StateLabel = {
  tone: 'warn',
  word: 'Not checked',
  meaning: 'Co-Pilot did not say that it stands as wanted',
};

/** The state of the subscription; what it says in full comes from the daemon. */
export const subscriptionLabel = ({ state, problem }: Subscription): StateLabel =>
  state === 'active' && problem !== null ? NOT_CHECKED : SUBSCRIPTION_LABELS[state];

/** How the last proof of the loop came out. */
export function probeLabel(probe: Probe | null): StateLabel {
  if (probe === null) return { tone: 'idle', word: 'Not tested yet', meaning: 'Nobody has tried' };
  if (!probe.reached)
    return { tone: 'bad', word: 'Not reached', meaning: 'The request did not come in here' };
  return probe.cause === null
    ? { tone: 'ok', word: 'Reached', meaning: 'The request came in here unchanged' }
    : { tone: 'warn', word: 'Reached, but altered', meaning: 'Something changes what passes through' };
}

/** What was found otherwise at Co-Pilot. */
export const DRIFT_FIELD_LABELS: Record<Drift['field'], string> = {
  events: 'Events',
  active: 'Switched on',
  signature_header: 'Signature header',
  webhook: 'Webhook',
  webhook_id: 'Webhook id',
  url: 'Address',
};

/** What was done about it. */
export const DRIFT_LABELS: Record<Drift['outcome'], StateLabel> = {
  repaired: { tone: 'ok', word: 'Set right', meaning: 'It is as wanted again' },
  accepted: { tone: 'idle', word: 'Taken over', meaning: 'What is new is the rule from now on' },
  kept: { tone: 'bad', word: 'Not set right', meaning: 'Co-Pilot did not let itself be set right' },
};

/** Whether only a person can set the connection right, by giving consent. */
export const needsConsent = (connection: Connection): boolean =>
  connection.state === 'not_connected' ||
  connection.state === 'consent_needed' ||
  connection.scopes_missing.length > 0;
