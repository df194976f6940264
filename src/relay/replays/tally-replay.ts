import type { ReplayTally } from '../../contract/replay';
import type { Reader } from '../database/reader';

/**
 * What became of a replay's deliveries that are kept, target by target. Of a million the index alone is read: what succeeded or
 * died was sent, and only of the rest, which is little, are the rows asked.
 */
export function tallyReplay(id: string, reader: Reader): Promise<ReplayTally[]> {
  return reader.all<ReplayTally>([
    `SELECT t.id AS target_id, sum(c.rows) AS deliveries,
       sum(CASE WHEN c.state IN ('succeeded', 'dead') THEN c.rows ELSE 0 END) + (
         SELECT count(*) FROM deliveries d WHERE d.replay_id = ? AND d.target_id = t.number AND d.attempts > 0
           AND d.state IN ('waiting', 'pending', 'retrying', 'cancelled')) AS sent,
       sum(CASE WHEN c.state IN ('waiting', 'pending', 'retrying') THEN c.rows ELSE 0 END) AS open,
       sum(CASE c.state WHEN 'succeeded' THEN c.rows ELSE 0 END) AS succeeded,
       sum(CASE c.state WHEN 'dead' THEN c.rows ELSE 0 END) AS dead,
       sum(CASE c.state WHEN 'cancelled' THEN c.rows ELSE 0 END) AS cancelled
     FROM (SELECT target_id, state, count(*) AS rows FROM deliveries WHERE replay_id = ? GROUP BY state, target_id) c
     JOIN targets t ON t.number = c.target_id GROUP BY t.number ORDER BY t.number`,
    [id, id],
  ]);
}
