import type { Outage, OutageKind } from '../../contract/outage';
import { formatSeconds } from '../ground/format-seconds';
import { isoOrNull, toIso } from '../ground/iso-time';

/** An outage as stored. Times are ms since 1970. */
export interface OutageRow {
  number: number;
  id: string;
  kind: OutageKind;
  began_at: number;
  /** Null while it lasts. */
  ended_at: number | null;
  /** For a silence: the usual interval between notifications at that time of the week. */
  usual_seconds: number | null;
  /** The last state that was published as a system event; null before the first one. */
  published: 'began' | 'ended' | null;
  dismissed_at: number | null;
  /** The newest event that was received before it, by seq; null if an earlier version recorded it. */
  after_seq: number | null;
  gap_event_id: string | null;
}

/** An outage to be recorded. */
export type OutageDraft = Pick<OutageRow, 'kind' | 'began_at' | 'ended_at' | 'usual_seconds'>;

export function describeOutage(row: OutageRow, now: number): Outage {
  const { id, kind, began_at: beganAt, ended_at: endedAt, dismissed_at: dismissedAt } = row;
  const { after_seq, gap_event_id } = row;
  return {
    id,
    kind,
    began_at: toIso(beganAt),
    ended_at: isoOrNull(endedAt),
    seconds: Math.max(0, Math.round(((endedAt ?? now) - beganAt) / 1_000)),
    sentence: describeMissing(row),
    dismissed_at: isoOrNull(dismissedAt),
    after_seq,
    gap_event_id,
  };
}

/** What happened, as a sentence. */
export function describeMissing({
  kind,
  began_at: beganAt,
  ended_at: endedAt,
  usual_seconds: usual,
}: OutageDraft): string {
  if (kind === 'downtime') {
    return `Events may have been missed between ${toIso(beganAt)} and ${toIso(endedAt ?? beganAt)}: Switchboard was unreachable for longer than Co-Pilot retries.`;
  }
  if (kind === 'restore') {
    return `Events received between ${toIso(beganAt)} and ${toIso(endedAt ?? beganAt)} are missing: the database was restored from a backup of ${toIso(beganAt)}.`;
  }
  if (kind === 'failover') {
    return `Events received between ${toIso(beganAt)} and ${toIso(endedAt ?? beganAt)} may be lost: the PostgreSQL server was replaced or restored without what it had stored last.`;
  }
  if (kind === 'unregistered') {
    return endedAt === null
      ? `Events may have been missed since ${toIso(beganAt)}: Co-Pilot's webhook is missing or inactive.`
      : `Events may have been missed between ${toIso(beganAt)} and ${toIso(endedAt)}: Co-Pilot's webhook was missing or inactive.`;
  }
  if (kind === 'not_stored') {
    return `Notifications were refused between ${toIso(beganAt)} and ${toIso(endedAt ?? beganAt)}, because they could not be stored: those that Co-Pilot did not send again in time are missing.`;
  }
  const usualInterval = `at this time of the week one usually arrives every ${formatSeconds(usual ?? 0)}`;
  return endedAt === null
    ? `No notification has arrived since ${toIso(beganAt)}; ${usualInterval}.`
    : `No notification arrived between ${toIso(beganAt)} and ${toIso(endedAt)}; ${usualInterval}.`;
}
