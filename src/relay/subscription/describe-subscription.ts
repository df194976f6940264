import type { Drift, ForeignWebhook, ReportedWebhook, Subscription } from '../../contract/subscription';
import { maskedAddressOf, type Registration, type RegistrationState } from './registration';

/** What a subscription is described from. */
export interface SubscriptionParts {
  present: Registration | null;
  /** It was not found at Co-Pilot for too long. */
  checkOverdue: boolean;
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
    ...(present === null ? NOTHING : describePresent(present, parts.checkOverdue)),
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
  problem: null,
  remedy: null,
  url: null,
  webhook_id: null,
  events: [],
  signature_header: null,
  signature_header_before: null,
  registered_at: null,
  checked_at: null,
};

function describePresent(present: Registration, checkOverdue: boolean): Present {
  const paused = present.state === 'active' && present.paused;
  const problem = problemOf(present, checkOverdue);
  return {
    state: paused ? 'paused' : stateOf(present.state),
    sentence: problem === null ? ownSentence(present) : `${troubledSentence(present)} ${problem}`,
    problem,
    remedy: present.remedy ?? (checkOverdue ? OVERDUE_REMEDY : paused ? PAUSED_REMEDY : null),
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

const OVERDUE_REMEDY =
  'Look at the connection first: without it nothing can be checked. Then have it checked at once (Check and repair now, POST /api/v1/subscription/repair).';

function problemOf({ problem, checkedAt }: Registration, checkOverdue: boolean): string | null {
  if (!checkOverdue) return problem;
  const last =
    checkedAt === null ? 'it was never found there' : `it was last found there at ${instantOf(checkedAt)}`;
  return [problem, `Whether it still stands is not known: ${last}.`].filter(Boolean).join(' ');
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

function troubledSentence({ state, problem, paused, deleteFirst }: Registration): string {
  const check = problem === null ? 'it could not be checked' : 'the last check failed';
  if (state === 'active' && paused) return `Paused by the operator, but ${check}.`;
  if (state === 'active') return `Registered at Co-Pilot, but ${check}.`;
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
