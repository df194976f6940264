/**
 * `registering`: the request is under way, or its outcome is unknown. `active`: Co-Pilot sends. `failed`: Co-Pilot refused
 * it. `replaced`: another took its place, and it is still to be taken down at Co-Pilot. `gone`: taken down; its key is
 * good for a little longer.
 */
export const REGISTRATION_STATES = ['registering', 'active', 'failed', 'replaced', 'gone'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

/** A registration as it is held in memory, key and secret in clear: never to be logged or answered. Times are ms since 1970. */
export interface Registration {
  readonly id: number;
  readonly key: string;
  readonly secret: string;
  readonly publicUrl: string;
  readonly events: readonly string[];
  readonly state: RegistrationState;
  /** What is wrong with it, as a sentence. */
  readonly problem: string | null;
  /** Null until Co-Pilot has told it. */
  readonly webhookId: string | null;
  /** Learned from what arrived. */
  readonly signatureHeader: string | null;
  readonly signatureHeaderBefore: string | null;
  readonly createdAt: number;
  readonly registeredAt: number | null;
  readonly checkedAt: number | null;
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

/** Whether the present registration, rather than one before it. */
export function isPresent({ state }: Registration): boolean {
  return state !== 'replaced' && state !== 'gone';
}

/** Whether nothing can arrive for it any more. */
export function isOver({ state, closedAt }: Registration, now: number): boolean {
  return state === 'gone' && closedAt !== null && now >= closedAt + KEY_KEPT_MS;
}
