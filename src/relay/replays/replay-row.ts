import type {
  ReplayFilter,
  ReplaySummary,
  ReplayRate,
  ReplayState,
  ReplayTally,
} from '../../contract/replay';
import { eventId, type InstanceId } from '../ground/ids';
import type { Tracks } from './replay-progress';
import { isoOrNull, toIso } from '../ground/iso-time';

/** A replay as stored. Times are ms since 1970. */
export interface ReplayRow {
  number: number;
  id: string;
  state: ReplayState;
  filter: ReplayFilter;
  event_seq: number | null;
  target_ids: string[] | null;
  rate: ReplayRate;
  until_seq: number;
  position: number;
  total: number;
  estimated: boolean;
  newest_at: number | null;
  removed: number;
  events: number;
  deliveries: number;
  tracks: Tracks | null;
  report: ReplayTally[] | null;
  created_at: number;
  ended_at: number | null;
  /** For the replay of a single event that is still stored. */
  event_received_at: number | null;
}

/** In the database, these columns are JSON, and a flag is a number. */
type StoredReplay = Omit<ReplayRow, 'filter' | 'rate' | 'target_ids' | 'tracks' | 'report' | 'estimated'> &
  Record<'filter' | 'rate', string> &
  Record<'target_ids' | 'tracks' | 'report', string | null> & { estimated: number };

export const SELECT_REPLAY = `SELECT r.*, e.received_at AS event_received_at FROM replays r
  LEFT JOIN events e ON e.seq = r.event_seq`;

export function parseReplay(stored: unknown): ReplayRow {
  const row = stored as StoredReplay;
  return {
    ...row,
    filter: JSON.parse(row.filter) as ReplayFilter,
    target_ids: row.target_ids === null ? null : (JSON.parse(row.target_ids) as string[]),
    rate: JSON.parse(row.rate) as ReplayRate,
    tracks: row.tracks === null ? null : (JSON.parse(row.tracks) as Tracks),
    report: row.report === null ? null : (JSON.parse(row.report) as ReplayTally[]),
    estimated: row.estimated === 1,
  };
}

/** `until_seq` of a backfill that was stored with its target. It is fixed once the target receives live events. */
export const UNTIL_SEQ_PENDING = -1;

/** The recently measured speed of a replay. */
export interface Speed {
  events_per_second: number | null;
  eta_s: number | null;
}

export function presentReplay(
  row: ReplayRow,
  speed: Speed,
  waitingFor: ReplaySummary['waiting_for'],
  instanceId: InstanceId,
): ReplaySummary {
  const { since, until, ...filter } = row.filter;
  const { event_seq: seq, event_received_at: receivedAt } = row;
  return {
    id: row.id,
    state: row.state,
    filter: {
      ...filter,
      ...(since !== undefined && { since: toIso(since) }),
      ...(until !== undefined && { until: toIso(until) }),
    },
    event_id: seq === null || receivedAt === null ? null : eventId(receivedAt, seq, instanceId),
    target_ids: row.target_ids,
    rate: row.rate,
    until_seq: Math.max(0, row.until_seq),
    position: row.position,
    events: row.events,
    total: row.total,
    estimated: row.estimated,
    removed: row.removed,
    deliveries: row.deliveries,
    ...speed,
    waiting_for: waitingFor,
    created_at: toIso(row.created_at),
    ended_at: isoOrNull(row.ended_at),
  };
}
