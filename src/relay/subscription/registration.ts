/**
 * `registering`: the request is in progress, or its outcome is unknown. `active`: Co-Pilot sends. `failed`: Co-Pilot
 * rejected it. `rotating`: created by a rotation to replace the current one, not registered yet. `replaced`:
 * superseded, still to be deleted at Co-Pilot. `gone`: deleted; its key is accepted for a little longer. `closed`:
 * its key is no longer accepted; its secret is kept to recheck quarantined notifications.
 */
export const REGISTRATION_STATES = [
  'registering',
  'active',
  'failed',
  'rotating',
  'replaced',
  'gone',
  'closed',
] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

/** The states of the current registration, as opposed to predecessors and successors. */
export const CURRENT_STATES: readonly RegistrationState[] = ['registering', 'active', 'failed'];

/** A registration in memory, with key and secret in plain text: never log or return it. Times are ms since 1970. */
export interface Registration {
  readonly id: number;
  readonly key: string;
  readonly secret: string;
  readonly publicUrl: string;
  /** As last known at Co-Pilot. */
  readonly events: readonly string[];
  readonly state: RegistrationState;
  /** What is wrong, as a sentence. */
  readonly problem: string | null;
  /** What to do about the problem. */
  readonly remedy: string | null;
  /** The operator wants it paused at Co-Pilot. */
  readonly paused: boolean;
  /** Whether it was active at Co-Pilot when last seen. */
  readonly lastKnownActive: boolean | null;
  /** Null until known. */
  readonly webhookId: string | null;
  /**
   * Whether the id comes from Co-Pilot's API. An id known only from a notification is deleted only on the operator's
   * request.
   */
  readonly idConfirmed: boolean;
  /** Whether a list has shown it with our URL; only then does a different URL mean that it was changed. */
  readonly urlSeen: boolean;
  /** Its predecessor is deleted before it is registered. */
  readonly deleteFirst: boolean;
  /** The header in which the last verified notification had its signature; null before the first. */
  readonly signatureHeader: string | null;
  /** The one before it, if it has changed. */
  readonly previousSignatureHeader: string | null;
  readonly createdAt: number;
  readonly registeredAt: number | null;
  readonly checkedAt: number | null;
  /** When its webhook was deleted at Co-Pilot, on the scale of `TimeBounds.latest`. */
  readonly closedAt: number | null;
}

/** The mutable fields of a registration. */
export type RegistrationChange = Partial<
  Omit<Registration, 'id' | 'key' | 'secret' | 'publicUrl' | 'createdAt'>
>;

/**
 * How long the key of a deleted webhook is accepted: retries of its notifications may arrive for 30 seconds
 * (document, 6.3).
 */
const KEY_GRACE_MS = 60_000;

/** Where Co-Pilot sends. It contains the key, so it is secret. */
export function webhookUrl({ publicUrl, key }: Registration): string {
  return `${publicUrl}/hooks/${key}`;
}

/** The URL with its key masked. */
export function maskedWebhookUrl({ publicUrl, key }: Registration): string {
  return `${publicUrl}/hooks/${key.slice(0, 4)}…`;
}

export function isCurrent({ state }: Registration): boolean {
  return CURRENT_STATES.includes(state);
}

/** Whether the grace period of its key is over. @param now on the scale of `TimeBounds.latest` */
export function isKeyExpired({ state, closedAt }: Registration, now: number): boolean {
  return state === 'gone' && closedAt !== null && now >= closedAt + KEY_GRACE_MS;
}
