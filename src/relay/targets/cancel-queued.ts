import type { Clock } from '../ground/clock';
import { IS_DEAD_LETTER } from '../database/journal/delivery-conditions';
import type { Journal } from '../database/journal/journal';

/** Deliveries cancelled per transaction. Small, since notifications share the writer. */
const CANCEL_STEP = 500;

/** Scheduled deliveries and those in a lane, each found through its index. */
const QUEUED_CONDITIONS = ['due_at IS NOT NULL', 'lane IS NOT NULL AND finished_at IS NULL'] as const;

/** Removed targets with queued deliveries: the daemon stopped before all were cancelled. */
export const REMOVED_WITH_QUEUED = `SELECT number FROM targets t WHERE deleted_at IS NOT NULL AND (${QUEUED_CONDITIONS.map(
  (condition) => `EXISTS (SELECT 1 FROM deliveries WHERE target_id = t.number AND ${condition})`,
).join(' OR ')})`;

/** Cancels the queued deliveries of a removed target, in steps. @throws RelayError `storage_failed` */
export async function cancelQueued(journal: Journal, clock: Clock, target: number): Promise<void> {
  for (const condition of QUEUED_CONDITIONS) {
    for (let cancelled = CANCEL_STEP; cancelled === CANCEL_STEP;) {
      const { rows } = await journal.change({
        statements: [
          [
            `UPDATE deliveries SET state = CASE state WHEN 'dead' THEN state ELSE 'cancelled' END, due_at = NULL, finished_at = ?,
             note = coalesce(note, 'The target was removed.')
           WHERE (event_seq, target_id, n) IN (
             SELECT event_seq, target_id, n FROM deliveries WHERE target_id = ? AND ${condition} LIMIT ?) RETURNING n`,
            [clock.now(), target, CANCEL_STEP],
          ],
        ],
      });
      cancelled = rows[0]!.length;
    }
  }
  // Dead letters that blocked a lane may have been followed by other deliveries.
  const counted = `SELECT count(*) FROM deliveries d WHERE target_id = ? AND state = 'dead' AND ${IS_DEAD_LETTER}`;
  await journal.change({
    statements: [[`UPDATE dead_letter_counts SET count = (${counted}) WHERE target = ?`, [target, target]]],
  });
}
