import type { TimeRecord } from '../ground/time-bounds';
import type { Statement } from './journal';
import { openReading } from './sqlite-driver';

/** @param file a database that is migrated already @returns null before the first was stored */
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

export function storeClockRecord({ wall, latest, doubts }: TimeRecord): Statement {
  return [
    'INSERT OR REPLACE INTO clock(id, wall_at, latest_at, doubts) VALUES (1, ?, ?, ?)',
    [wall, latest, JSON.stringify(doubts)],
  ];
}
