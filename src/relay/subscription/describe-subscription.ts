import type { Drift, ForeignWebhook, ReportedWebhook, Subscription } from '../../contract/subscription';
import { maskedAddressOf, type Registration, type RegistrationState } from './registration';

/** What a subscription is described from. */
export interface SubscriptionParts {
  present: Registration | null;
  /** The one that a rotation is bringing. */
  rotating: Registration | null;
  /** Those that are still to be taken down. */
  replaced: readonly Registration[];
  drift: readonly Drift[];
  foreign: ForeignWebhook[];
  reported: ReportedWebhook[];
  /** Ms since 1970. */
  lastNotificationAt: number | null;
}

/** The subscription in plain words, the key masked. */
export function describeSubscription(parts: SubscriptionParts): Subscription {
  const { present, drift, foreign, reported, lastNotificationAt } = parts;
  return {
    ...(present === null ? NOTHING : describePresent(present)),
    last_notification_at: instantOf(lastNotificationAt),
    rotation: describeRotation(parts),
    drift: [...drift],
    foreign,
    reported,
    silence: null,
    probe: null,
  };
}

type Present = Omit<
  Subscription,
  'last_notification_at' | 'rotation' | 'drift' | 'foreign' | 'reported' | 'silence' | 'probe'
>;

const NOTHING: Present = {
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
};

function describePresent(present: Registration): Present {
  const paused = present.state === 'active' && present.paused;
  return {
    state: paused ? 'paused' : stateOf(present.state),
    sentence: sentenceOf(present),
    remedy: present.remedy ?? (paused ? PAUSED_REMEDY : null),
    url: maskedAddressOf(present),
    webhook_id: present.webhookId,
    events: [...present.events],
    signature_header: present.signatureHeader,
    signature_header_before: present.signatureHeaderBefore,
    registered_at: instantOf(present.registeredAt),
    checked_at: instantOf(present.checkedAt),
  };
}

function stateOf(state: RegistrationState): Subscription['state'] {
  return state === 'active' || state === 'failed' ? state : 'registering';
}

const PAUSED_REMEDY =
  'Resume it to have events again. To hold events back without losing any, pause the targets instead.';

function sentenceOf(present: Registration): string {
  const { problem } = present;
  return problem === null ? ownSentence(present) : `${troubledSentence(present)} ${problem}`;
}

function ownSentence({ state, paused, heldActive, webhookId }: Registration): string {
  if (state !== 'active') return 'The registration is under way, or its outcome is not known yet.';
  if (paused && heldActive !== false && webhookId === null)
    return 'It is to be paused, but Co-Pilot has not told its id yet: it still sends.';
  if (paused)
    return 'Paused at Co-Pilot by the operator: what happens there meanwhile is lost, it is not sent later.';
  if (webhookId === null)
    return 'Registered at Co-Pilot; its id for it will be learned from the first notification.';
  return 'Registered at Co-Pilot, which sends its events here.';
}

function troubledSentence({ state, paused, deleteFirst }: Registration): string {
  if (state === 'active' && paused) return 'Paused by the operator, but the last check failed.';
  if (state === 'active') return 'Registered at Co-Pilot, but the last check failed.';
  if (state !== 'failed') return 'The registration is under way, or its outcome is not known yet.';
  const lost = deleteFirst ? ' The one before it was deleted: nothing arrives meanwhile.' : '';
  return `Co-Pilot did not take the registration; it is tried again by itself.${lost}`;
}

function describeRotation({ present, rotating, replaced }: SubscriptionParts): Subscription['rotation'] {
  if (rotating !== null) {
    const sentence =
      `A new webhook is being made in the present one's place. ${rotating.problem ?? ''}`.trim();
    return { started_at: new Date(rotating.createdAt).toISOString(), sentence };
  }
  // Of one whose id Co-Pilot has not told, it is not known that it exists, or it cannot be deleted.
  const standing = replaced.filter(({ idConfirmed }) => idConfirmed);
  if (present?.state !== 'active' || standing.length === 0) return null;
  return {
    started_at: new Date(present.createdAt).toISOString(),
    sentence:
      'The new webhook stands; the one before it is deleted once nothing can be on its way from it any more.',
  };
}

function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
