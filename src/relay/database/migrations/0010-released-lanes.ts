import type { MigrationInterface, QueryRunner } from 'typeorm';
import { IS_DEAD_LETTER, IS_DELIVERED_SINCE } from '../journal/delivery-conditions';

/** SQL for both engines. `finished_at` of a dead letter that blocks its lane is null; the actual time is not known. */
export const RELEASE_LANES = [
  `UPDATE deliveries SET finished_at = created_at WHERE ${IS_DELIVERED_SINCE}`,
  `UPDATE deliveries SET state = 'pending', due_at = created_at WHERE state = 'waiting' AND lane IS NOT NULL
     AND finished_at IS NULL AND NOT EXISTS (
     SELECT 1 FROM deliveries ahead WHERE ahead.target_id = deliveries.target_id AND ahead.lane = deliveries.lane
       AND ahead.finished_at IS NULL
       AND (ahead.event_seq, ahead.n) < (deliveries.event_seq, deliveries.n))`,
  'DELETE FROM dead_letter_counts',
  `INSERT INTO dead_letter_counts(target, count)
   SELECT target_id, count(*) FROM deliveries d WHERE state = 'dead' AND ${IS_DEAD_LETTER} GROUP BY target_id`,
];

/**
 * Earlier versions left a lane blocked, and did not list the dead letter that blocked it, when its event was
 * delivered by a replay. Such lanes are unblocked, and the counts of dead letters include those that block a lane
 * although a later delivery exists.
 */
export class ReleasedLanes0000000000010 implements MigrationInterface {
  name = 'ReleasedLanes0000000000010';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of RELEASE_LANES) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
