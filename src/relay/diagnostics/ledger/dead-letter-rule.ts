import type { Findings, Read } from './findings';
import { IS_DEAD_LETTER } from '../../database/journal/delivery-conditions';

/** A single statement, so that a delivery and the count that includes it are read in the same state. */
const MISCOUNTED = `SELECT target, sum(counted) AS counted, sum(found) AS found FROM (
    SELECT target, count AS counted, 0 AS found FROM dead_letter_counts
    UNION ALL
    SELECT target_id, 0, count(*) FROM deliveries d WHERE state = 'dead' AND ${IS_DEAD_LETTER}
    GROUP BY target_id) counts
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
