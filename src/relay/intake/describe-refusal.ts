import type { NotStoredReason } from '../../contract/stats';
import type { Alert } from '../events/alerts';

/** Why a notification with a valid key was not stored. */
export type Refusal = Exclude<NotStoredReason, 'unknown_key'>;

/**
 * Longer than the pauses between Co-Pilot's attempts (document, 6.3), so that a persistent failure is one
 * alert.
 */
const QUIET_AFTER_MS = 10 * 60_000;

const NO_MORE_RETRIES = 'Co-Pilot tries three times within 30 seconds, then drops the notification.';
const COMPARE = 'Check in Co-Pilot what changed in the meantime.';

type AlertText = Pick<Alert, 'severity' | 'sentence' | 'remedy'>;

const TEXTS: Readonly<Record<Refusal, AlertText>> = {
  storage: {
    severity: 'critical',
    sentence: `Notifications were answered with 503: the database could not be written. ${NO_MORE_RETRIES}`,
    remedy: `Free disk space, or repair the disk. ${COMPARE}`,
  },
  late: {
    severity: 'critical',
    sentence: `Notifications were answered with 503: they could not be written to disk within 4 s. ${NO_MORE_RETRIES}`,
    remedy: `Find out what keeps the disk busy. ${COMPARE}`,
  },
  overload: {
    severity: 'critical',
    sentence: `Notifications were answered with 503: more arrived at once than can be queued in memory. ${NO_MORE_RETRIES}`,
    remedy: `Check whether the disk is slow, or whether somebody floods the webhook URL. ${COMPARE}`,
  },
  too_large: {
    severity: 'critical',
    sentence: `Notifications were answered with 413: they are larger than SWITCHBOARD_BODY_LIMIT_BYTES allows. ${NO_MORE_RETRIES}`,
    remedy: `Raise SWITCHBOARD_BODY_LIMIT_BYTES and restart. ${COMPARE}`,
  },
  aborted: {
    severity: 'warning',
    sentence: `Notifications were aborted before they had arrived completely. ${NO_MORE_RETRIES}`,
    remedy: `Check whether a proxy in front of this daemon ends requests early, and whether the connection from Co-Pilot is stable. ${COMPARE}`,
  },
  wrong_method: {
    severity: 'warning',
    sentence: `Requests to the webhook URL did not use POST and were answered with 405. ${NO_MORE_RETRIES}`,
    remedy: `Check whether a proxy redirects, for example from http to https: a redirected POST arrives as a GET. ${COMPARE}`,
  },
  wrong_path: {
    severity: 'critical',
    sentence: `Requests with the webhook's key arrived on a path other than the registered one and were answered with 404. ${NO_MORE_RETRIES}`,
    remedy: `Check whether a proxy rewrites the path: everything below /hooks/ must be forwarded unchanged. ${COMPARE}`,
  },
  internal_error: {
    severity: 'critical',
    sentence: `Notifications were answered with 503 because of an error in Switchboard. ${NO_MORE_RETRIES}`,
    remedy: `The log shows the error; please report it. ${COMPARE}`,
  },
};

/** The alert for notifications that were not stored for one reason. */
export function refusalAlert(refusal: Refusal): Alert {
  return {
    type: 'relay.notification.refused',
    subject: refusal,
    ...TEXTS[refusal],
    data: { reason: refusal },
    quietAfterMs: QUIET_AFTER_MS,
  };
}
