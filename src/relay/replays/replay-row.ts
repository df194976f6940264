import type { ReplayFilter, ReplayPlan, ReplayRate, ReplayState, ReplayTally } from '../../contract/replay';
import { eventId } from '../ground/ids';
import type { Tracks } from './replay-progress';

/** A replay as it is stored. Times are ms since 1970. */
interface StoredReplay {
  number: number;
  id: string;
  state: ReplayState;
  filter: string;
  event_seq: number | null;
  target_ids: string | null;
  rate: string;
  until_seq: number;
  position: number;
  total: number;
  estimated: number;
  newest_at: number | null;
  gone: number;
  events: number;
  deliveries: number;
  tracks: string | null;
  report: string | null;
  created_at: number;
  ended_at: number | null;
  /** Of its event, where it is the replay of one that is still kept. */
  event_received_at: number | null;
}

export type ReplayRow = Omit<
  StoredReplay,
  'filter' | 'target_ids' | 'rate' | 'tracks' | 'report' | 'estimated'
> & {
  filter: ReplayFilter;
  target_ids: string[] | null;
  rate: ReplayRate;
  tracks: Tracks | null;
  report: ReplayTally[] | null;
  estimated: boolean;
};

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

/** As `until_seq`: the replay was stored before the target that it is for took events, and is held to what is stored once it does. */
export const NOT_FROZEN = -1;

/** How fast a replay goes, as it was measured lately. */
export interface Speed {
  events_per_second: number | null;
  eta_s: number | null;
}

export function presentReplay(
  row: ReplayRow,
  speed: Speed,
  waits: ReplayPlan['waiting_for'],
  hub: number,
): ReplayPlan {
  const { since, until, ...filter } = row.filter;
  const { event_seq: seq, event_received_at: receivedAt } = row;
  return {
    id: row.id,
    state: row.state,
    filter: {
      ...filter,
      ...(since !== undefined && { since: instant(since) }),
      ...(until !== undefined && { until: instant(until) }),
    },
    event_id: seq === null || receivedAt === null ? null : eventId(receivedAt, seq, hub),
    target_ids: row.target_ids,
    rate: row.rate,
    until_seq: Math.max(0, row.until_seq),
    position: row.position,
    events: row.events,
    total: row.total,
    estimated: row.estimated,
    gone: row.gone,
    deliveries: row.deliveries,
    ...speed,
    waiting_for: waits,
    created_at: instant(row.created_at),
    ended_at: row.ended_at === null ? null : instant(row.ended_at),
  };
}

const instant = (ms: number) => new Date(ms).toISOString();
