import type { TimeRecord } from '../ground/time-bounds';
import { openReading } from './sqlite-driver';
import { upsert, type Statement } from './statements';

/** @param file an up-to-date database @returns null before the first record was stored */
export function readClockRecord(file: string): TimeRecord | null {
  const connection = openReading(file);
  try {
    const row = connection
      .prepare<[], { wall_at: number; latest_at: number; doubts: string }>('SELECT * FROM clock')
      .get();
    if (row === undefined) return null;
    const doubts = JSON.parse(row.doubts) as TimeRecord['doubts'];
    return { wall: row.wall_at, latest: row.latest_at, doubts };
  } finally {
    connection.close();
  }
}

export const storeClockRecord = ({ wall, latest, doubts }: TimeRecord): Statement =>
  upsert('clock', 'id', { id: 1, wall_at: wall, latest_at: latest, doubts: JSON.stringify(doubts) });
