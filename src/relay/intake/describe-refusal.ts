import type { NotStoredReason } from '../../contract/stats';
import type { Alert } from '../events/alerts';

/** Why a notification under a key of ours was not stored. */
export type Refusal = Exclude<NotStoredReason, 'unknown_key'>;

/** Longer than the pauses between Co-Pilot's attempts (document, 6.3), so that one that fails for good is one alert. */
const QUIET_AFTER_MS = 10 * 60_000;

const LOST = 'Co-Pilot tries three times within half a minute, then forgets the notification.';
const LOOK = 'Look in Co-Pilot what changed meanwhile.';

type Words = Pick<Alert, 'severity' | 'sentence' | 'remedy'>;

const WORDS: Readonly<Record<Refusal, Words>> = {
  storage: {
    severity: 'critical',
    sentence: `Notifications were answered 503: the database could not be written. ${LOST}`,
    remedy: `Make room on the disk, or see to it. ${LOOK}`,
  },
  late: {
    severity: 'critical',
    sentence: `Notifications were answered 503: they could not be written to disk within 4 s. ${LOST}`,
    remedy: `See what keeps the disk busy. ${LOOK}`,
  },
  overload: {
    severity: 'critical',
    sentence: `Notifications were answered 503: more came in at once than may wait in memory. ${LOST}`,
    remedy: `See whether the disk is slow, or whether somebody floods the address of the webhook. ${LOOK}`,
  },
  too_large: {
    severity: 'critical',
    sentence: `Notifications were answered 413: they are larger than SWITCHBOARD_BODY_LIMIT_BYTES allows. ${LOST}`,
    remedy: `Raise SWITCHBOARD_BODY_LIMIT_BYTES and start anew. ${LOOK}`,
  },
  aborted: {
    severity: 'warning',
    sentence: `Notifications broke off before they had come in whole. ${LOST}`,
    remedy: `See whether a proxy before this daemon ends requests early, and how good the way from Co-Pilot is. ${LOOK}`,
  },
  wrong_method: {
    severity: 'warning',
    sentence: `Requests to the webhook's address were no POST, and were answered 405. ${LOST}`,
    remedy: `See whether a proxy redirects, say from http to https: a POST that is redirected arrives as a GET. ${LOOK}`,
  },
  wrong_path: {
    severity: 'critical',
    sentence: `Requests came with the webhook's key on another path than the one that was registered, and were answered 404. ${LOST}`,
    remedy: `See whether a proxy changes the path: everything below /hooks/ has to arrive as it was sent. ${LOOK}`,
  },
  internal_error: {
    severity: 'critical',
    sentence: `Notifications were answered 503 because of a fault in Switchboard. ${LOST}`,
    remedy: `The log says what it was; please report it. ${LOOK}`,
  },
};

/** What an operator is told of notifications that were not stored for one reason. */
export function alertOf(refusal: Refusal): Alert {
  return {
    type: 'relay.notification.refused',
    subject: refusal,
    ...WORDS[refusal],
    data: { reason: refusal },
    quietAfterMs: QUIET_AFTER_MS,
  };
}
