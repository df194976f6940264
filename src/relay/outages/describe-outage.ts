import type { Outage, OutageKind } from '../../contract/outage';

/** An outage as it is stored. Times are ms since 1970. */
export interface OutageRow {
  number: number;
  id: string;
  kind: OutageKind;
  began_at: number;
  /** Null while it goes on. */
  ended_at: number | null;
  /** For a silence: how long it usually takes from one notification to the next at that time of the week. */
  usual_seconds: number | null;
  /** What targets were told of it last; null before. */
  told: 'began' | 'ended' | null;
  dismissed_at: number | null;
}

export function describeOutage(row: OutageRow, now: number): Outage {
  const { id, kind, began_at: beganAt, ended_at: endedAt, dismissed_at: dismissedAt } = row;
  return {
    id,
    kind,
    began_at: instantOf(beganAt),
    ended_at: endedAt === null ? null : instantOf(endedAt),
    seconds: Math.max(0, Math.round(((endedAt ?? now) - beganAt) / 1_000)),
    sentence: sentenceOf(row),
    dismissed_at: dismissedAt === null ? null : instantOf(dismissedAt),
  };
}

function sentenceOf({ kind, began_at: beganAt, ended_at: endedAt, usual_seconds: usual }: OutageRow): string {
  if (kind === 'downtime') {
    return `Events may have been missed between ${instantOf(beganAt)} and ${instantOf(endedAt ?? beganAt)}: nothing could be received for longer than Co-Pilot tries again.`;
  }
  const rhythm = `at this time of the week one usually comes every ${inWords(usual ?? 0)}`;
  return endedAt === null
    ? `No notification has arrived since ${instantOf(beganAt)}; ${rhythm}.`
    : `No notification arrived between ${instantOf(beganAt)} and ${instantOf(endedAt)}; ${rhythm}.`;
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

const instantOf = (at: number) => new Date(at).toISOString();
