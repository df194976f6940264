import { hash } from 'node:crypto';

/** The minute of a notification with an unreadable timestamp: a duplicate only while its sender may be retrying. */
export const UNDATED_MINUTE = 0;

/** Co-Pilot retries a notification after 5 s and 25 s (document, 6.3); this leaves room for delays. */
const RETRIED_WITHIN_MS = 10 * 60_000;

/** Whether the same bytes under the same minute are the same notification, this long after the first. */
export const isRetry = ({ minute }: Identity, laterMs: number) =>
  minute !== UNDATED_MINUTE || laterMs <= RETRIED_WITHIN_MS;

/** The minute of system events, whose identities are kept as long as the events. */
export const SYSTEM_EVENT_MINUTE = -1;

/** Notifications with the same identity are duplicates. The minute comes first, so that the index grows at its end. */
export interface Identity {
  minute: number;
  /** In lowercase hex. */
  hash: string;
}

/** Half of a SHA-256 is enough: only events of the same minute are compared. */
const HASH_DIGITS = 32;

export const hashForIdentity = (bytes: Uint8Array | string) =>
  hash('sha256', bytes, 'hex').slice(0, HASH_DIGITS);

/** Of an event that Switchboard makes itself: what it stands for is stored once. */
export const ownIdentity = (standsFor: string): Identity => ({
  minute: SYSTEM_EVENT_MINUTE,
  hash: hashForIdentity(standsFor),
});
