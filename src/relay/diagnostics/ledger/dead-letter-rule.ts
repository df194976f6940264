import type { Findings } from './findings';
import type { Read } from './read';

/** One statement sees a delivery and the count of it change together. */
const MISCOUNTED = `SELECT target, sum(counted) AS counted, sum(found) AS found FROM (
    SELECT target, standing AS counted, 0 AS found FROM dead_letters
    UNION ALL
    SELECT target_id, 0, count(*) FROM deliveries d WHERE state = 'dead' AND NOT EXISTS (
      SELECT 1 FROM deliveries newer
      WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)
    GROUP BY target_id)
  GROUP BY target HAVING sum(counted) <> sum(found)`;

/** Compares the stored count of dead letters with the deliveries. */
export async function findMiscountedDeadLetters(read: Read, findings: Findings): Promise<void> {
  const rows = await read<{ target: number; counted: number; found: number }>([MISCOUNTED, []]);
  for (const { target, counted, found } of rows)
    findings.add(
      'dead_letters',
      `${counted} dead letters are counted for ${findings.names.target(target)}, but ${found} exist.`,
    );
}
