import type { LostReason } from '../../contract/stats';
import { RETRIED_FOR_MS } from '../../protocol/limits';
import type { StorageFault } from '../database/journal/storage-fault';
import type { Alert } from '../events/alert';

/** Longer than the delays between Co-Pilot's attempts (document, 6.3): a lasting failure raises a single alert. */
const QUIET_AFTER_MS = 10 * 60_000;

const RETRY_WINDOW = 'Co-Pilot tries three times within 30 seconds, then drops the notification.';
const CHECK_CHANGES = 'Check in Co-Pilot what changed in the meantime.';

const TEXTS: Readonly<Record<Exclude<LostReason, 'storage'>, readonly [sentence: string, remedy: string]>> = {
  late: [
    'Notifications were answered with 503: they could not be written to disk within 4 s.',
    'Find out what keeps the disk busy.',
  ],
  overload: [
    'Notifications were answered with 503: more arrived at once than can be queued in memory.',
    'Check whether the disk is slow, or whether somebody floods the webhook URL.',
  ],
  too_large: [
    'Notifications were answered with 413: they are larger than SWITCHBOARD_BODY_LIMIT_BYTES allows.',
    'Raise SWITCHBOARD_BODY_LIMIT_BYTES and restart.',
  ],
  aborted: [
    'Notifications were aborted before they had arrived completely.',
    'Check whether a proxy in front of this daemon ends requests early, and whether the connection from Co-Pilot is stable.',
  ],
  wrong_method: [
    'Requests to the webhook URL did not use POST and were answered with 405.',
    'Check whether a proxy redirects, for example from http to https: a redirected POST arrives as a GET.',
  ],
  wrong_path: [
    "Requests with the webhook's key arrived on a path other than the registered one and were answered with 404.",
    'Check whether a proxy rewrites the path: everything below /hooks/ must be forwarded unchanged.',
  ],
  headers_too_large: [
    'Notifications were answered with 431: their headers are larger than 32 KiB.',
    'Make the proxies in front of this daemon add less to requests below /hooks/.',
  ],
  malformed: [
    'Notifications were answered with 400: they were not valid HTTP, or had not exactly one Host header.',
    'Check what the proxies in front of this daemon make of requests below /hooks/.',
  ],
  request_timeout: [
    'Notifications were answered with 408: they did not arrive within 30 s.',
    'Check whether the connection from Co-Pilot, or from the proxy, is stable.',
  ],
  expectation_failed: [
    'Notifications were answered with 417: they have an Expect header other than 100-continue.',
    'Make the proxy in front of this daemon remove the header.',
  ],
  pipelined: [
    'Notifications were refused: more than two were sent on a connection before the response to the one before them.',
    'Turn off pipelining of requests in the proxy in front of this daemon.',
  ],
  internal_error: [
    'Notifications were answered with 503 because of an error in Switchboard.',
    'The log shows the error; please report it.',
  ],
};

/** Of requests that probably were no notifications, or that a single bad connection explains. */
const WARNINGS: ReadonlySet<LostReason> = new Set(['aborted', 'wrong_method', 'request_timeout']);

/** The cause usually ends by itself: nothing is lost before Co-Pilot stops retrying. */
const TEMPORARY: ReadonlySet<LostReason> = new Set(['late', 'overload']);

/**
 * The alert for notifications that were not stored for one reason.
 * @param fault of the storage, if that is the reason
 * @param lastsMs how long notifications have not been stored for this reason
 */
export function notStoredAlert(reason: LostReason, fault: StorageFault, lastsMs: number): Alert {
  const [sentence, remedy] =
    reason === 'storage'
      ? [`Notifications were answered with 503: ${fault.what}.`, fault.remedy]
      : TEXTS[reason];
  const isTemporary = reason === 'storage' ? fault.isTemporary : TEMPORARY.has(reason);
  const isWarning = WARNINGS.has(reason) || (isTemporary && lastsMs < RETRIED_FOR_MS);
  return {
    type: 'relay.notification.not_stored',
    subject: reason,
    severity: isWarning ? 'warning' : 'critical',
    sentence: `${sentence} ${RETRY_WINDOW}`,
    remedy: `${remedy} ${CHECK_CHANGES}`,
    data: { reason },
    quietAfterMs: QUIET_AFTER_MS,
  };
}
