import type { DataSource } from 'typeorm';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import {
  parseRestores,
  SELECT_INSTANCE,
  type InstanceRecord,
  type Restore,
} from '../database/journal/instance-record';
import type { OutageDraft } from './describe-outage';

/**
 * The time between Co-Pilot's first and last attempt, if its delays are counted from the first attempt: the shortest
 * interpretation of the document (6.3). In a shorter downtime no event is missed.
 */
const RETRY_WINDOW_MS = ATTEMPT_DELAYS_SECONDS.at(-1)! * 1_000;

interface Heartbeat {
  /** Ms since 1970. */
  at: number;
  expecting: boolean;
}

/** When the database was used last: the last heartbeat, and the restore that it was not used since. */
export interface LastUse {
  heartbeat: Heartbeat | null;
  restore: Restore | null;
}

export async function readLastUse(source: DataSource): Promise<LastUse> {
  const [row] = await source.query<{ at: number; expecting: number }[]>(
    'SELECT at, expecting FROM heartbeat',
  );
  const [instance] = await source.query<InstanceRecord[]>(SELECT_INSTANCE);
  const restore = parseRestores(instance!).at(-1);
  return {
    heartbeat: row === undefined ? null : { at: row.at, expecting: row.expecting === 1 },
    restore: restore !== undefined && (row?.at ?? 0) <= restore.backup_at ? restore : null,
  };
}

/** The outage that ends now; null if nothing can have been missed since then. */
export function outageSince({ heartbeat, restore }: LastUse, now: number): OutageDraft | null {
  const ended = { ended_at: now, usual_seconds: null };
  if (restore !== null) return { kind: 'restore', began_at: restore.backup_at, ...ended };
  if (heartbeat === null || !heartbeat.expecting || now - heartbeat.at <= RETRY_WINDOW_MS) return null;
  return { kind: 'downtime', began_at: heartbeat.at, ...ended };
}
