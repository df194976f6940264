import type { CorrectionsRecord } from '../../ground/clock-corrections';
import type { TimeRecord } from '../../ground/time-bounds';
import { upsert, type Statement } from './statements';

export const SELECT_CLOCK = 'SELECT wall_at, latest_at, doubts, corrections FROM clock';

export interface ClockRow {
  wall_at: number;
  latest_at: number;
  doubts: string;
  corrections: string | null;
}

type StoredCorrections = CorrectionsRecord & Partial<Pick<TimeRecord, 'checkedThrough'>>;

/** @returns null before the first record was stored */
export function parseClockRow(row: ClockRow | undefined): TimeRecord | null {
  if (row === undefined) return null;
  const { wall_at: wall, latest_at: latest, doubts, corrections: json } = row;
  if (json !== null) {
    const { checkedThrough = 0, ...corrections } = JSON.parse(json) as StoredCorrections;
    return { wall, latest, corrections, checkedThrough };
  }
  // The record of an earlier version: by how much the clock was set ahead within the last day.
  const ms = (JSON.parse(doubts) as { ms: number }[]).reduce((sum, doubt) => sum + doubt.ms, 0);
  const corrections = { since: wall, past: [{ from: 0, until: wall, ms }] };
  return { wall, latest, corrections, checkedThrough: 0 };
}

export const storeClockRecord = ({ wall, latest, corrections, checkedThrough }: TimeRecord): Statement =>
  upsert('clock', 'id', {
    id: 1,
    wall_at: wall,
    latest_at: latest,
    doubts: '[]',
    corrections: JSON.stringify({ ...corrections, checkedThrough } satisfies StoredCorrections),
  });
