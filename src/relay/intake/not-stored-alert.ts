import type { NotStoredReason } from '../../contract/stats';
import { RETRIED_FOR_MS } from '../../protocol/limits';
import type { StorageFault } from '../database/storage-fault';
import type { Alert } from '../events/alert';

/** Why a notification with a valid key was not stored: each of these raises an alert. */
export type AlertedReason = Exclude<NotStoredReason, 'unknown_key'>;

/**
 * Longer than the delays between Co-Pilot's attempts (document, 6.3), so that a persistent failure raises a
 * single alert.
 */
const QUIET_AFTER_MS = 10 * 60_000;

const RETRY_WINDOW = 'Co-Pilot tries three times within 30 seconds, then drops the notification.';
const CHECK_CHANGES = 'Check in Co-Pilot what changed in the meantime.';

type AlertText = Pick<Alert, 'severity' | 'sentence' | 'remedy'>;

const TEXTS: Readonly<Record<Exclude<AlertedReason, 'storage'>, AlertText>> = {
  late: {
    severity: 'critical',
    sentence: `Notifications were answered with 503: they could not be written to disk within 4 s. ${RETRY_WINDOW}`,
    remedy: `Find out what keeps the disk busy. ${CHECK_CHANGES}`,
  },
  overload: {
    severity: 'critical',
    sentence: `Notifications were answered with 503: more arrived at once than can be queued in memory. ${RETRY_WINDOW}`,
    remedy: `Check whether the disk is slow, or whether somebody floods the webhook URL. ${CHECK_CHANGES}`,
  },
  too_large: {
    severity: 'critical',
    sentence: `Notifications were answered with 413: they are larger than SWITCHBOARD_BODY_LIMIT_BYTES allows. ${RETRY_WINDOW}`,
    remedy: `Raise SWITCHBOARD_BODY_LIMIT_BYTES and restart. ${CHECK_CHANGES}`,
  },
  aborted: {
    severity: 'warning',
    sentence: `Notifications were aborted before they had arrived completely. ${RETRY_WINDOW}`,
    remedy: `Check whether a proxy in front of this daemon ends requests early, and whether the connection from Co-Pilot is stable. ${CHECK_CHANGES}`,
  },
  wrong_method: {
    severity: 'warning',
    sentence: `Requests to the webhook URL did not use POST and were answered with 405. ${RETRY_WINDOW}`,
    remedy: `Check whether a proxy redirects, for example from http to https: a redirected POST arrives as a GET. ${CHECK_CHANGES}`,
  },
  wrong_path: {
    severity: 'critical',
    sentence: `Requests with the webhook's key arrived on a path other than the registered one and were answered with 404. ${RETRY_WINDOW}`,
    remedy: `Check whether a proxy rewrites the path: everything below /hooks/ must be forwarded unchanged. ${CHECK_CHANGES}`,
  },
  internal_error: {
    severity: 'critical',
    sentence: `Notifications were answered with 503 because of an error in Switchboard. ${RETRY_WINDOW}`,
    remedy: `The log shows the error; please report it. ${CHECK_CHANGES}`,
  },
};

/** The cause usually ends by itself: nothing is lost before Co-Pilot stops retrying. */
const TEMPORARY: ReadonlySet<AlertedReason> = new Set(['late', 'overload']);

/**
 * The alert for notifications that were not stored for one reason.
 * @param fault of the storage, if that is the reason
 * @param lastsMs how long notifications have not been stored for this reason
 */
export function notStoredAlert(reason: AlertedReason, fault: StorageFault, lastsMs: number): Alert {
  const text = reason === 'storage' ? storageText(fault) : TEXTS[reason];
  const isTemporary = reason === 'storage' ? fault.isTemporary : TEMPORARY.has(reason);
  return {
    type: 'relay.notification.not_stored',
    subject: reason,
    ...text,
    severity: isTemporary && lastsMs < RETRIED_FOR_MS ? 'warning' : text.severity,
    data: { reason },
    quietAfterMs: QUIET_AFTER_MS,
  };
}

const storageText = ({ what, remedy }: StorageFault): AlertText => ({
  severity: 'critical',
  sentence: `Notifications were answered with 503: ${what}. ${RETRY_WINDOW}`,
  remedy: `${remedy} ${CHECK_CHANGES}`,
});
