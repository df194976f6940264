import { formatSize } from '../../ground/format-size';
import type { Alert } from '../alert';

/** Resolved after this time without another removal. */
const QUIET_MS = 6 * 60 * 60 * 1_000;

/** Raised once for each event. @param reason why, as the end of a sentence */
export const eventsRemoved = (reason: string): Alert => ({
  type: 'relay.retention.removed_early',
  subject: '',
  severity: 'warning',
  sentence: `Finished events were removed before their time because ${reason}.`,
  remedy:
    'Free disk space, or set SWITCHBOARD_RETENTION_DAYS and SWITCHBOARD_RETENTION_BYTES to what should be kept.',
  quietAfterMs: QUIET_MS,
});

/** Raised once for each dead letter. */
export const deadLettersRemoved = (reason: string): Alert => ({
  type: 'relay.retention.dead_removed',
  subject: '',
  severity: 'warning',
  sentence: `Dead letters were removed with their events because ${reason}. They can no longer be retried.`,
  remedy: 'Retry or discard dead letters in time, or increase the limit.',
  quietAfterMs: QUIET_MS,
});

/** Raised once for each delivery. */
export const deliveriesCancelled = (reason: string): Alert => ({
  type: 'relay.retention.cancelled',
  subject: '',
  severity: 'critical',
  sentence: `Unfinished deliveries were cancelled and removed with their events because ${reason}.`,
  remedy: 'Fix, pause or delete the targets with a backlog, or increase SWITCHBOARD_RETENTION_BYTES.',
  quietAfterMs: QUIET_MS,
});

export const TOO_LARGE = 'relay.retention.too_large';

/** Lasts until the size is below the limit again. */
export const stillTooLarge = (usedBytes: number, limit: number): Alert => ({
  type: TOO_LARGE,
  subject: '',
  severity: 'warning',
  sentence: `The database has ${formatSize(usedBytes)}, more than SWITCHBOARD_RETENTION_BYTES (${formatSize(limit)}), and removing events does not help. No more are removed for their size until it has grown further.`,
  remedy:
    'Increase the limit. If most of the database is events, restart the daemon, which tries again; otherwise they are not the cause.',
});
