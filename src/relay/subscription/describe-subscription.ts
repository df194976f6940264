import type { Subscription } from '../../contract/subscription';
import { maskedAddressOf, type Registration, type RegistrationState } from './registration';

const NOTHING: Subscription = {
  state: 'none',
  sentence: 'Nothing is registered at Co-Pilot yet; that follows by itself once the connection stands.',
  remedy: null,
  url: null,
  webhook_id: null,
  events: [],
  signature_header: null,
  signature_header_before: null,
  registered_at: null,
  checked_at: null,
  last_notification_at: null,
  rotation: null,
  drift: [],
  foreign: [],
  silence: null,
  probe: null,
};

/** The subscription in plain words, the key masked. `lastNotificationAt`: ms since 1970. */
export function describeSubscription(
  registration: Registration | null,
  lastNotificationAt: number | null,
): Subscription {
  if (registration === null) return NOTHING;
  const { state } = registration;
  return {
    ...NOTHING,
    state: state === 'replaced' || state === 'gone' ? 'none' : state,
    sentence: sentenceOf(registration),
    url: maskedAddressOf(registration),
    webhook_id: registration.webhookId,
    events: [...registration.events],
    signature_header: registration.signatureHeader,
    signature_header_before: registration.signatureHeaderBefore,
    registered_at: instantOf(registration.registeredAt),
    checked_at: instantOf(registration.checkedAt),
    last_notification_at: instantOf(lastNotificationAt),
  };
}

const SENTENCES: Record<RegistrationState, string> = {
  registering: 'The registration is under way, or its outcome is not known yet.',
  active: 'Registered at Co-Pilot, which sends its events here.',
  failed: 'Co-Pilot did not take the registration; it is tried again by itself.',
  replaced: NOTHING.sentence,
  gone: NOTHING.sentence,
};

function sentenceOf({ state, problem, webhookId }: Registration): string {
  if (problem !== null) {
    return `${state === 'active' ? 'Registered at Co-Pilot, but the last check failed.' : SENTENCES[state]} ${problem}`;
  }
  if (state === 'active' && webhookId === null) {
    return 'Registered at Co-Pilot; its id for it will be learned from the first notification.';
  }
  return SENTENCES[state];
}

function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
