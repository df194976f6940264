/**
 * `registering`: the request is under way, or its outcome is unknown. `active`: Co-Pilot sends. `failed`: Co-Pilot refused
 * it. `rotating`: made by a rotation to take the present one's place, and not there yet. `replaced`: another took its
 * place, and it is still to be taken down at Co-Pilot. `gone`: taken down; its key is good for a little longer. `closed`:
 * its key is good no longer; its secret is kept to check quarantined notifications with.
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

/** The states of the present registration, rather than of one before or behind it. */
export const PRESENT: readonly RegistrationState[] = ['registering', 'active', 'failed'];

/** A registration as it is held in memory, key and secret in clear: never to be logged or answered. Times are ms since 1970. */
export interface Registration {
  readonly id: number;
  readonly key: string;
  readonly secret: string;
  readonly publicUrl: string;
  /** As Co-Pilot last held them. */
  readonly events: readonly string[];
  readonly state: RegistrationState;
  /** What is wrong with it, as a sentence. */
  readonly problem: string | null;
  /** What to do about the problem. */
  readonly remedy: string | null;
  /** The operator wants it paused at Co-Pilot. */
  readonly paused: boolean;
  /** Whether it was active at Co-Pilot when that last was known. */
  readonly heldActive: boolean | null;
  /** Null until Co-Pilot has told it. */
  readonly webhookId: string | null;
  /** Whether Co-Pilot's API has told its id. A notification alone may have: then nothing is deleted by it. */
  readonly idConfirmed: boolean;
  /** Whether a list has shown it at our address; only then does another address there mean anything. */
  readonly addressSeen: boolean;
  /** The one before it is to be taken down before it is sent. */
  readonly deleteFirst: boolean;
  /** Learned from what arrived. */
  readonly signatureHeader: string | null;
  readonly signatureHeaderBefore: string | null;
  readonly createdAt: number;
  readonly registeredAt: number | null;
  readonly checkedAt: number | null;
  /** On the scale of `TimeBounds.latest`. */
  readonly closedAt: number | null;
}

/** What of a registration changes. */
export type RegistrationChange = Partial<
  Omit<Registration, 'id' | 'key' | 'secret' | 'publicUrl' | 'createdAt'>
>;

/** What is sent on the way when a registration is taken down still arrives for this long (document, 6.3: 5 + 25 s). */
const KEY_KEPT_MS = 60_000;

/** Where Co-Pilot sends. Whoever knows it can be told apart by it, so it is as secret as the key in it. */
export function addressOf({ publicUrl, key }: Registration): string {
  return `${publicUrl}/hooks/${key}`;
}

/** The address as it may be shown. */
export function maskedAddressOf({ publicUrl, key }: Registration): string {
  return `${publicUrl}/hooks/${key.slice(0, 4)}…`;
}

export function isPresent({ state }: Registration): boolean {
  return PRESENT.includes(state);
}

/** Whether nothing can arrive for it any more. @param now on the scale of `TimeBounds.latest` */
export function isOver({ state, closedAt }: Registration, now: number): boolean {
  return state === 'gone' && closedAt !== null && now >= closedAt + KEY_KEPT_MS;
}
