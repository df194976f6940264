import type { LostReason } from '../../contract/stats';
import { RETRIED_FOR_MS } from '../../protocol/limits';
import type { StorageFault } from '../database/storage-fault';
import type { Alert } from '../events/alert';

/**
 * Longer than the delays between Co-Pilot's attempts (document, 6.3), so that a persistent failure raises a
 * single alert.
 */
const QUIET_AFTER_MS = 10 * 60_000;

const RETRY_WINDOW = 'Co-Pilot tries three times within 30 seconds, then drops the notification.';
const CHECK_CHANGES = 'Check in Co-Pilot what changed in the meantime.';

type AlertText = Pick<Alert, 'severity' | 'sentence' | 'remedy'>;

const TEXTS: Readonly<Record<Exclude<LostReason, 'storage'>, AlertText>> = {
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
  headers_too_large: {
    severity: 'critical',
    sentence: `Notifications were answered with 431: their headers are larger than 32 KiB. ${RETRY_WINDOW}`,
    remedy: `Make the proxies in front of this daemon add less to requests below /hooks/. ${CHECK_CHANGES}`,
  },
  malformed: {
    severity: 'critical',
    sentence: `Notifications were answered with 400: they were not valid HTTP, or had not exactly one Host header. ${RETRY_WINDOW}`,
    remedy: `Check what the proxies in front of this daemon make of requests below /hooks/. ${CHECK_CHANGES}`,
  },
  request_timeout: {
    severity: 'warning',
    sentence: `Notifications were answered with 408: they did not arrive within 30 s. ${RETRY_WINDOW}`,
    remedy: `Check whether the connection from Co-Pilot, or from the proxy, is stable. ${CHECK_CHANGES}`,
  },
  expectation_failed: {
    severity: 'critical',
    sentence: `Notifications were answered with 417: they have an Expect header other than 100-continue. ${RETRY_WINDOW}`,
    remedy: `Make the proxy in front of this daemon remove the header. ${CHECK_CHANGES}`,
  },
  pipelined: {
    severity: 'critical',
    sentence: `Notifications were refused: more than two were sent on a connection before the response to the one before them. ${RETRY_WINDOW}`,
    remedy: `Turn off pipelining of requests in the proxy in front of this daemon. ${CHECK_CHANGES}`,
  },
  internal_error: {
    severity: 'critical',
    sentence: `Notifications were answered with 503 because of an error in Switchboard. ${RETRY_WINDOW}`,
    remedy: `The log shows the error; please report it. ${CHECK_CHANGES}`,
  },
};

/** The cause usually ends by itself: nothing is lost before Co-Pilot stops retrying. */
const TEMPORARY: ReadonlySet<LostReason> = new Set(['late', 'overload']);

/**
 * The alert for notifications that were not stored for one reason.
 * @param fault of the storage, if that is the reason
 * @param lastsMs how long notifications have not been stored for this reason
 */
export function notStoredAlert(reason: LostReason, fault: StorageFault, lastsMs: number): Alert {
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
