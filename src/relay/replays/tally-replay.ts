import type { ReplayTally } from '../../contract/replay';
import type { Reader } from '../database/reader';

/** What became of a replay's deliveries that are kept, target by target. */
export function tallyReplay(id: string, reader: Reader): Promise<ReplayTally[]> {
  return reader.all<ReplayTally>([
    `SELECT t.id AS target_id, count(*) AS deliveries, sum(d.attempts > 0) AS sent,
       sum(d.state IN ('waiting', 'pending', 'retrying')) AS open, sum(d.state = 'succeeded') AS succeeded,
       sum(d.state = 'dead') AS dead, sum(d.state = 'cancelled') AS cancelled
     FROM deliveries d JOIN targets t ON t.number = d.target_id WHERE d.replay_id = ? GROUP BY t.number ORDER BY t.number`,
    [id],
  ]);
}
