import type { Drift, ForeignWebhook, ReportedWebhook, Subscription } from '../../contract/subscription';
import { maskedWebhookUrl, type Registration, type RegistrationState } from './registration';
import { isoOrNull } from '../ground/iso-time';

/** The subscription without what other features know about it. */
export type SubscriptionState = Omit<Subscription, 'silence' | 'reachability'>;

/** The records from which the subscription is described. */
export interface SubscriptionParts {
  current: Registration | null;
  /** Whether the last successful check is too long ago. */
  checkOverdue: boolean;
  /** The registration that a rotation is sending. */
  rotating: Registration | null;
  /** Registrations whose webhooks are still to be deleted at Co-Pilot. */
  replaced: readonly Registration[];
  drift: readonly Drift[];
  foreign: ForeignWebhook[];
  reported: ReportedWebhook[];
  /** Ms since 1970. */
  lastNotificationAt: number | null;
}

/** The subscription as the API shows it, with the key masked. */
export function describeSubscription(parts: SubscriptionParts): SubscriptionState {
  const { current, drift, foreign, reported, lastNotificationAt } = parts;
  return {
    ...(current === null ? NOT_REGISTERED : describeCurrent(current, parts.checkOverdue)),
    last_notification_at: isoOrNull(lastNotificationAt),
    rotation: describeRotation(parts),
    drift: [...drift],
    foreign,
    reported,
  };
}

const NOT_REGISTERED = {
  state: 'none' as const,
  sentence:
    'No webhook is registered at Co-Pilot yet. It is registered automatically once Switchboard is connected.',
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

function describeCurrent(current: Registration, checkOverdue: boolean) {
  const paused = current.state === 'active' && current.paused;
  const problem = problemOf(current, checkOverdue);
  return {
    state: paused ? ('paused' as const) : stateOf(current.state),
    sentence: problem === null ? normalSentence(current) : `${failureSentence(current)} ${problem}`,
    problem,
    remedy: current.remedy ?? (checkOverdue ? OVERDUE_REMEDY : paused ? PAUSED_REMEDY : null),
    url: maskedWebhookUrl(current),
    webhook_id: current.webhookId,
    events: [...current.events],
    signature_header: current.signatureHeader,
    signature_header_before: current.previousSignatureHeader,
    registered_at: isoOrNull(current.registeredAt),
    checked_at: isoOrNull(current.checkedAt),
  };
}

function stateOf(state: RegistrationState): Subscription['state'] {
  return state === 'active' || state === 'failed' ? state : 'registering';
}

const PAUSED_REMEDY =
  'Resume it to receive events again. To stop deliveries without losing events, pause the targets instead.';

const OVERDUE_REMEDY =
  'Check the connection first: the webhook cannot be checked without it. Then check it (Check and repair now, POST /api/v1/subscription/repair).';

function problemOf({ problem, checkedAt }: Registration, checkOverdue: boolean): string | null {
  if (!checkOverdue) return problem;
  const last =
    checkedAt === null ? 'it has never been seen there' : `it was last seen there at ${isoOrNull(checkedAt)}`;
  return [problem, `It is unknown whether it still exists: ${last}.`].filter(Boolean).join(' ');
}

function normalSentence({ state, paused, lastKnownActive, webhookId }: Registration): string {
  if (state !== 'active') return 'Registration is in progress, or its outcome is not known yet.';
  if (paused && lastKnownActive !== false && webhookId === null)
    return 'The webhook is paused once its id is known; until then Co-Pilot keeps sending.';
  if (paused)
    return 'Paused at Co-Pilot by the operator. Events that occur while it is paused are lost: Co-Pilot does not send them later.';
  if (webhookId === null)
    return 'Registered at Co-Pilot; its webhook id is taken from the first notification.';
  return 'Registered and active at Co-Pilot.';
}

function failureSentence({ state, problem, paused, deleteFirst }: Registration): string {
  const check = problem === null ? 'it could not be checked' : 'the last check failed';
  if (state === 'active' && paused) return `Paused by the operator, but ${check}.`;
  if (state === 'active') return `Registered at Co-Pilot, but ${check}.`;
  if (state !== 'failed') return 'Registration is in progress, or its outcome is not known yet.';
  const lost = deleteFirst ? ' The previous webhook was deleted, so nothing arrives until then.' : '';
  return `Co-Pilot rejected the registration; it is retried automatically.${lost}`;
}

function describeRotation({ current, rotating, replaced }: SubscriptionParts): Subscription['rotation'] {
  if (rotating !== null) {
    const sentence =
      `A new webhook is being created to replace the current one. ${rotating.problem ?? ''}`.trim();
    return { started_at: new Date(rotating.createdAt).toISOString(), sentence };
  }
  // Without a confirmed id a webhook may not exist, or cannot be deleted.
  const confirmed = replaced.filter(({ idConfirmed }) => idConfirmed);
  if (current?.state !== 'active' || confirmed.length === 0) return null;
  return {
    started_at: new Date(current.createdAt).toISOString(),
    sentence: 'The new webhook is active. The previous one is deleted once no retry from it can be pending.',
  };
}
