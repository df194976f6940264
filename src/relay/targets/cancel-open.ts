import type { Clock } from '../ground/clock';
import type { Journal } from '../database/journal';

/** One step of cancelling what a removed target still had open: short, since notifications wait for no cleaning up. */
const CANCEL_STEP = 500;

/** What is open, each along an index of its own: what is to be attempted, and what waits in a lane. */
const OPEN = ['due_at IS NOT NULL', 'lane IS NOT NULL AND settled_at IS NULL'] as const;

/** Removed targets of which something is open all the same: the daemon stopped before it was through. */
export const REMOVED_WITH_OPEN = `SELECT number FROM targets t WHERE deleted_at IS NOT NULL AND (${OPEN.map(
  (open) => `EXISTS (SELECT 1 FROM deliveries WHERE target_id = t.number AND ${open})`,
).join(' OR ')})`;

/** Cancels what a removed target still has open, step by step. @throws RelayError `storage_failed`: the rest is still open */
export async function cancelOpen(journal: Journal, clock: Clock, target: number): Promise<void> {
  for (const open of OPEN) {
    for (let cancelled = CANCEL_STEP; cancelled === CANCEL_STEP;) {
      const { rows } = await journal.change([
        [
          `UPDATE deliveries SET state = CASE state WHEN 'dead' THEN state ELSE 'cancelled' END, due_at = NULL, settled_at = ?,
             note = coalesce(note, 'The target was removed.')
           WHERE (event_seq, target_id, n) IN (
             SELECT event_seq, target_id, n FROM deliveries WHERE target_id = ? AND ${open} LIMIT ?) RETURNING n`,
          [clock.now(), target, CANCEL_STEP],
        ],
      ]);
      cancelled = rows[0]!.length;
    }
  }
}
